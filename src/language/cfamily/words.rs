//! What words do at the head of a declaration.

/// What a word does at the head of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It qualifies, and is never the type.
    Qualifier,
    /// It begins a declaration.
    Opener,
    /// It names what is declared as a type: the next word belongs to it.
    Elaborator,
    /// It is a type, or part of one.
    Primitive,
    /// It begins what is not a declaration.
    Other,
    /// It may be a type, a name or a macro.
    Plain,
}

pub(super) fn role(word: &str) -> Role {
    match word {
        "const" | "volatile" | "restrict" | "register" | "mutable" | "thread_local" | "auto" | "noexcept"
        | "override" | "final" | "__restrict" | "__restrict__" | "__volatile__" | "__extension__" | "_Noreturn"
        | "_Atomic" | "__inline" | "__inline__" | "__forceinline" | "__const" | "consteval" | "constinit"
        | "__cdecl" | "__stdcall" | "__fastcall" | "__vectorcall" | "__thread" => Role::Qualifier,
        "static" | "extern" | "inline" | "typedef" | "template" | "namespace" | "using" | "virtual" | "explicit"
        | "friend" | "constexpr" | "public" | "private" | "protected" | "concept" | "static_assert" => Role::Opener,
        "struct" | "class" | "union" | "enum" | "typename" => Role::Elaborator,
        "void" | "bool" | "char" | "short" | "int" | "long" | "float" | "double" | "signed" | "unsigned" | "size_t"
        | "_Bool" | "wchar_t" | "decltype" | "__int64" => Role::Primitive,
        "return" | "else" | "goto" | "case" | "default" | "throw" | "new" | "delete" | "do" | "if" | "for"
        | "while" | "switch" | "try" | "catch" | "operator" | "sizeof" | "asm" | "__asm__" | "__asm" | "co_return"
        | "co_await" | "co_yield" | "requires" | "import" | "export" | "module" | "__attribute__" | "__declspec"
        | "alignas" | "_Alignas" | "not" | "and" | "or" | "break" | "continue" | "this" => Role::Other,
        _ => Role::Plain,
    }
}

/// Whether a word is written as macros are.
pub(in crate::language) fn in_capitals(word: &str) -> bool {
    word.len() > 2
        && !word.bytes().any(|byte| byte.is_ascii_lowercase())
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}
