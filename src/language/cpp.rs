//! C++, and CUDA as far as its grammar goes.

use super::cfamily::{PREPROCESSOR, read_cpp};
use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "cpp",
    claims: Claims {
        extensions: &[
            "c++", "c++m", "cc", "ccm", "cp", "cpp", "cppm", "cu", "cuh", "cxx", "cxxm", "h++", "hh", "hpp", "hxx",
            "inl", "ino", "ipp", "ixx", "mpp", "tcc", "tpp", "txx",
        ],
        test_files: &[
            "test.cc",
            "test.cpp",
            "test.cxx",
            "tests.cpp",
            "*_test.cc",
            "*_test.cpp",
            "*_test.cu",
            "*_test.cxx",
            "*_tests.cc",
            "*_tests.cpp",
            "*_unittest.cc",
            "*_unittest.cpp",
            "*-test.cc",
            "*-test.cpp",
            "*Test.cpp",
            "*Tests.cpp",
            "*.test.cc",
            "*.test.cpp",
            "test-*.cc",
            "test-*.cpp",
            "test_*.cc",
            "test_*.cpp",
            "tst_*.cpp",
        ],
        shared: &["h"],
        signs: &[
            r"^\s*(inline )?namespace( [\w:]+)?\s*(\{|$)",
            r"^\s*template\s*<",
            r"^\s*(class|enum class) \w+( final)?\s*(:[^:]|\{|;|$)",
            r"^\s*(public|private|protected)\s*:",
            r"^\s*using\s+(namespace\s+)?[A-Za-z_:][\w:]*\s*(=|;)",
            r"\bstd::\w",
            r"^\s*#\s*include\s*<(string|vector|memory|map|iostream|functional|utility|algorithm|cstdint|cstddef)>",
            r"\b(noexcept\b|static_cast<|reinterpret_cast<)",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    readable: Some(read_cpp),
    queries: &[
        QueryText { file: "cpp/definitions.scm", text: include_str!("cpp/definitions.scm") },
        QueryText { file: "cfamily/definitions.scm", text: include_str!("cfamily/definitions.scm") },
        QueryText { file: "cpp/references.scm", text: include_str!("cpp/references.scm") },
        QueryText { file: "cfamily/references.scm", text: include_str!("cfamily/references.scm") },
        QueryText { file: "cpp/imports.scm", text: include_str!("cpp/imports.scm") },
        QueryText { file: "cfamily/imports.scm", text: include_str!("cfamily/imports.scm") },
    ],
    rules: Rules {
        separator: "::",
        inner_doc: &["///<", "//!<", "/**<", "/*!<"],
        members: &[("function", "method"), ("constant", "field"), ("variable", "field")],
        branches: Some(PREPROCESSOR),
        ..Rules::NONE
    },
    sample: Sample {
        path: "src/store.cpp",
        text: r#"/// Stores.
#pragma once
#include "store.hpp"
#include <vector>
using std::string;
using namespace records::view;
using records::view::Row;
namespace fs = std::filesystem;

namespace records::store {
inline namespace v1 {

/// Keeps records.
template <typename T, int N = 3>
class [[nodiscard]] Store final : public Base<T>, private detail::Root {
 public:
  /** Opens. */
  explicit Store(int size) : size_(size), Base<T>(size) {}
  Store(const Store&) = delete;
  virtual ~Store() = default;
  virtual int flush() const = 0;
  int& at(int index);
  const T* find() const noexcept override { return nullptr; }
  bool operator==(const Store& other) const;
  operator bool() const { return true; }
  explicit operator int() const;
  template <class U> void put(U item);
  static Store make() { return Store{1}; }
  static constexpr int kMax = 3;
  using item = T;
  enum class State : int { Open, Closed = 2 };
  friend std::ostream& operator<<(std::ostream& out, const Store& store) { return out; }
  friend class Bar;

 private:
  struct Slot { int place; };
  int size_{0}; //!< How many.
  std::function<void(int)> close_;
  int (*hook)(int), *left, right;
};

template <typename T, int N> int Store<T, N>::flush() const { return this->count_ = 1; }

}  // namespace v1

Store::Store(int size) : size_{size} { auto one = std::make_unique<Slot>(size); }
Store::~Store() {}
Store& Store::operator=(const Store& other) { return *this; }
Store::operator bool() const { return true; }
int Store::count = 0;

template <> struct hash<Slot> { size_t operator()(const Slot& slot) const; };
template <class T> concept Open = requires(T t) { t.open(); };
template <class T> using List = std::vector<T, Alloc<T>>;
constexpr int kY{1};
auto twice = [](int a) { return half(a); };
std::string& name();
auto tail() -> Row { return {}; }

}  // namespace records::store

extern "C" int plain(void);
extern "C" {
static void hidden() {
  std::lock_guard<std::mutex> guard(lock);
  Store store(size);
  auto inner = [&]() { run(); };
  auto* row = new view::Row<int>(1);
  row->seen = a.b<int>(2);
  throw std::runtime_error("x");
  try { a::b::c::run(); } catch (const Error& error) {}
  State s = State::Open;
  int x = static_cast<int>(3);
}
}

[[deprecated("old")]] void gone();

LIB_BEGIN_NAMESPACE

/// Behind macros.
class LIB_API Window : public Widget {
  Q_OBJECT
 public slots:
  LIB_INLINE LIB_HOST Window(int size) LIB_NOEXCEPT : size_(size) {}
  LIB_INLINE bool shown() const LIB_NOEXCEPT;
  LIB_INLINE operator bool() const;
 signals:
  void closed();
 private:
  int size_;
};

template <class T> LIB_INLINE T LIB_CALL area(T width LIB_UNUSED) { return width; }

LIB_END_NAMESPACE

TEST(Store, Opens) { EXPECT_EQ(1, 2); }
TEST_CASE("it closes", "[store]") {
  SECTION("twice") { close(); }
}
BOOST_AUTO_TEST_CASE(reads) { read(); }
"#,
        definitions: &[
            ("module", "records::store"),
            ("module", "records::store::v1"),
            ("class", "records::store::v1::Store"),
            ("method", "records::store::v1::Store::Store"),
            ("method", "records::store::v1::Store::Store"),
            ("method", "records::store::v1::Store::~Store"),
            ("method", "records::store::v1::Store::flush"),
            ("method", "records::store::v1::Store::at"),
            ("method", "records::store::v1::Store::find"),
            ("method", "records::store::v1::Store::operator=="),
            ("method", "records::store::v1::Store::operator bool"),
            ("method", "records::store::v1::Store::operator int"),
            ("method", "records::store::v1::Store::put"),
            ("method", "records::store::v1::Store::make"),
            ("field", "records::store::v1::Store::kMax"),
            ("type", "records::store::v1::Store::item"),
            ("enum", "records::store::v1::Store::State"),
            ("field", "records::store::v1::Store::State::Open"),
            ("field", "records::store::v1::Store::State::Closed"),
            ("method", "records::store::v1::Store::operator<<"),
            ("struct", "records::store::v1::Store::Slot"),
            ("field", "records::store::v1::Store::Slot::place"),
            ("field", "records::store::v1::Store::size_"),
            ("field", "records::store::v1::Store::close_"),
            ("field", "records::store::v1::Store::hook"),
            ("field", "records::store::v1::Store::left"),
            ("field", "records::store::v1::Store::right"),
            ("method", "records::store::v1::Store::flush"),
            ("method", "records::store::Store::Store"),
            ("method", "records::store::Store::~Store"),
            ("method", "records::store::Store::operator="),
            ("method", "records::store::Store::operator bool"),
            ("variable", "records::store::Store::count"),
            ("struct", "records::store::hash"),
            ("method", "records::store::hash::operator()"),
            ("type", "records::store::Open"),
            ("type", "records::store::List"),
            ("constant", "records::store::kY"),
            ("function", "records::store::twice"),
            ("function", "records::store::name"),
            ("function", "records::store::tail"),
            ("function", "plain"),
            ("function", "hidden"),
            ("function", "hidden::inner"),
            ("function", "gone"),
            ("class", "Window"),
            ("method", "Window::Window"),
            ("method", "Window::shown"),
            ("method", "Window::operator bool"),
            ("method", "Window::closed"),
            ("field", "Window::size_"),
            ("function", "area"),
            ("test", "Store.Opens"),
            ("test", "it closes"),
            ("test", "twice"),
            ("test", "reads"),
        ],
        references: &[
            ("import", "string"),
            ("import", "Row"),
            ("annotation", "nodiscard"),
            ("inherit", "Base"),
            ("type", "T"),
            ("inherit", "detail Root"),
            ("write", "size_"),
            ("call", "Base"),
            ("type", "T"),
            ("type", "Store"),
            ("type", "T"),
            ("type", "Store"),
            ("type", "U"),
            ("type", "Store"),
            ("call", "Store"),
            ("type", "T"),
            ("type", "std ostream"),
            ("type", "std ostream"),
            ("type", "Store"),
            ("type", "Bar"),
            ("type", "std function"),
            ("type", "Store"),
            ("type", "T"),
            ("type", "N"),
            ("write", "this count_"),
            ("type", "Store"),
            ("write", "size_"),
            ("call", "std make_unique"),
            ("type", "Slot"),
            ("type", "Store"),
            ("type", "Store"),
            ("type", "Store"),
            ("type", "Store"),
            ("type", "Store"),
            ("type", "Store"),
            ("type", "Slot"),
            ("type", "Slot"),
            ("type", "T"),
            ("call", "t open"),
            ("type", "std vector"),
            ("type", "T"),
            ("type", "Alloc"),
            ("type", "T"),
            ("call", "half"),
            ("type", "std string"),
            ("type", "Row"),
            ("type", "std lock_guard"),
            ("type", "std mutex"),
            ("type", "lock"),
            ("type", "Store"),
            ("type", "size"),
            ("call", "run"),
            ("call", "view Row"),
            ("write", "row seen"),
            ("call", "a b"),
            ("call", "std runtime_error"),
            ("call", "a::b::c run"),
            ("type", "Error"),
            ("type", "State"),
            ("type", "State"),
            ("annotation", "deprecated"),
            ("inherit", "Widget"),
            ("write", "size_"),
            ("type", "T"),
            ("type", "T"),
            ("type", "Store"),
            ("call", "EXPECT_EQ"),
            ("call", "TEST_CASE"),
            ("call", "SECTION"),
            ("call", "close"),
            ("call", "read"),
        ],
        imports: &[
            "store.hpp: *",
            "<vector>: *",
            "std: string",
            "records::view: *",
            "records::view: Row",
            "std::filesystem: * as fs",
        ],
    },
};
