//! Go.

use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "go",
    claims: Claims {
        extensions: &["go"],
        interpreters: &["go", "gorun", "yaegi"],
        test_files: &["*_test.go"],
        signs: &[
            r"^package \w+$",
            r"^func (\(\w+ \*?[\w\[\]]+\) )?\w+\(.*\{$",
            r"^import \($",
            r"^type \w+ (struct|interface) \{$",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_go::LANGUAGE.into(),
    readable: None,
    queries: &[
        QueryText { file: "go/definitions.scm", text: include_str!("go/definitions.scm") },
        QueryText { file: "go/references.scm", text: include_str!("go/references.scm") },
        QueryText { file: "go/imports.scm", text: include_str!("go/imports.scm") },
    ],
    rules: Rules::NONE,
    sample: Sample {
        path: "store/store_test.go",
        text: r#"// Copyright the authors.

// Package store keeps records.
package store

import "fmt"

import (
	"context"
	"math/rand/v2"

	"gopkg.in/yaml.v3"
	log "example.com/logging"
	. "example.com/matchers"
	_ "embed"
)

// Limit is the most that is kept.
const Limit = 8

// States of a record.
const (
	// Open is the first.
	Open State = iota
	Closed // the last
	low, high
)

// Errors that callers test for.
var (
	ErrGone = errors.New("gone")
	ErrBusy error
)

var _ Keeper = (*Store[int])(nil)
var first, second = pair()

// State of a record.
type State int

type (
	// Handler answers.
	Handler func(ctx context.Context, key string) error
	Name    = log.Name
)

// Keeper keeps.
type Keeper interface {
	fmt.Stringer
	Closer
	// Keep keeps one.
	Keep(key string, value *Record) error
}

type Number interface {
	~int | ~float64 | State
}

// Store is a Keeper.
//
//nolint:govet
type Store[T Number] struct {
	*Base
	sync.Mutex
	// root is where.
	root  string `json:"root"`
	x, y  int
	inner struct {
		depth int
	}
	items map[string][]T // by key
}

func init() { register(nil) }

// New makes a Store.
func New[T Number](root string) (*Store[T], error) {
	const local = 1
	store := &Store[T]{root: root, items: make(map[string][]T)}
	store.inner.depth, store.x = local, 2
	store.y++
	defer store.Lock()
	return check[T](store), Map[string, int](rand.Int)(root)
}

// Keep keeps one.
func (s *Store[T]) Keep(key string, value *Record) error {
	type pair struct{ key string }
	for _, item := range s.items[key] {
		go func() { s.notify(pair{key}, item) }()
	}
	return s.Base.Keep(key).(error)
}

func (State) String() string

// open is held by a variable.
var open = func(name string) Handler { return nil }

var command = &cobra.Command{
	Use: "store",
	Run: func(cmd *cobra.Command, args []string) {
		run(args...)
	},
}

var entries = []log.Entry{{Root: "a"}, {Root: "b"}}
var places = map[string]*Place{"a": {depth: 1}}

func TestKeep(t *testing.T) {
	t.Run("keeps one", func(t *testing.T) {
		New[int]("x")
	})
}

func Testify(t *testing.T) {}

func BenchmarkKeep(b *testing.B) {}

func ExampleStore_Keep() {
	fmt.Println((*Name)(nil), []Name{"x"}, uint64(1))
}

func (s *Suite) TestClose() {}

func (suite) TestRead(t *testing.T) {}

func (s *Suite) BenchmarkWrite(c *check.C) {}

func (s *Suite) TestedBy(t *testing.T) {}

var _ = ginkgo.Describe("a store", func() {
	It("opens", func() { Expect(open).To(Succeed()) })
})
"#,
        definitions: &[
            ("module", "store"),
            ("constant", "Limit"),
            ("constant", "Open"),
            ("constant", "Closed"),
            ("constant", "low"),
            ("constant", "high"),
            ("variable", "ErrGone"),
            ("variable", "ErrBusy"),
            ("variable", "first"),
            ("variable", "second"),
            ("type", "State"),
            ("type", "Handler"),
            ("type", "Name"),
            ("interface", "Keeper"),
            ("method", "Keeper.Keep"),
            ("interface", "Number"),
            ("struct", "Store"),
            ("field", "Store.root"),
            ("field", "Store.x"),
            ("field", "Store.y"),
            ("field", "Store.inner"),
            ("field", "Store.inner.depth"),
            ("field", "Store.items"),
            ("function", "init"),
            ("function", "New"),
            ("method", "Store.Keep"),
            ("struct", "Store.Keep.pair"),
            ("field", "Store.Keep.pair.key"),
            ("method", "State.String"),
            ("function", "open"),
            ("variable", "command"),
            ("method", "command.Run"),
            ("variable", "entries"),
            ("variable", "places"),
            ("test", "TestKeep"),
            ("test", "TestKeep.keeps one"),
            ("function", "Testify"),
            ("test", "BenchmarkKeep"),
            ("test", "ExampleStore_Keep"),
            ("test", "Suite.TestClose"),
            ("test", "suite.TestRead"),
            ("test", "Suite.BenchmarkWrite"),
            ("method", "Suite.TestedBy"),
            ("test", "a store"),
            ("test", "opens"),
        ],
        references: &[
            ("import", "fmt"),
            ("import", "context"),
            ("import", "math/rand/v2"),
            ("import", "gopkg.in/yaml.v3"),
            ("import", "example.com/logging"),
            ("type", "State"),
            ("call", "errors New"),
            ("implement", "Keeper"),
            ("type", "Store"),
            ("call", "pair"),
            ("type", "context Context"),
            ("type", "log Name"),
            ("inherit", "fmt Stringer"),
            ("inherit", "Closer"),
            ("type", "Record"),
            ("type", "State"),
            ("type", "Number"),
            ("inherit", "Base"),
            ("inherit", "sync Mutex"),
            ("type", "T"),
            ("call", "register"),
            ("type", "Number"),
            ("type", "Store"),
            ("type", "T"),
            ("type", "Store"),
            ("type", "T"),
            ("write", "Store[T] root"),
            ("write", "Store[T] items"),
            ("call", "make"),
            ("type", "T"),
            ("write", "store.inner depth"),
            ("write", "store x"),
            ("write", "store y"),
            ("call", "store Lock"),
            ("call", "check"),
            ("type", "T"),
            ("call", "Map"),
            ("type", "Store"),
            ("type", "T"),
            ("type", "Record"),
            ("call", "s notify"),
            ("type", "pair"),
            ("call", "s.Base Keep"),
            ("type", "State"),
            ("type", "Handler"),
            ("type", "cobra Command"),
            ("write", "cobra.Command Use"),
            ("type", "cobra Command"),
            ("call", "run"),
            ("type", "log Entry"),
            ("write", "log.Entry Root"),
            ("write", "log.Entry Root"),
            ("type", "Place"),
            ("write", "Place depth"),
            ("type", "testing T"),
            ("call", "t Run"),
            ("type", "testing T"),
            ("call", "New"),
            ("type", "testing T"),
            ("type", "testing B"),
            ("call", "fmt Println"),
            ("type", "Name"),
            ("type", "Name"),
            ("type", "Suite"),
            ("type", "suite"),
            ("type", "testing T"),
            ("type", "Suite"),
            ("type", "check C"),
            ("type", "Suite"),
            ("type", "testing T"),
            ("call", "ginkgo Describe"),
            ("call", "It"),
            ("call", "Expect"),
            ("call", "Expect(open) To"),
            ("call", "Succeed"),
        ],
        imports: &[
            "fmt: * as fmt",
            "context: * as context",
            "math/rand/v2: * as rand",
            "gopkg.in/yaml.v3: * as yaml",
            "example.com/logging: * as log",
            "example.com/matchers: *",
            "embed",
        ],
    },
};
