//! C.

use super::cfamily::{PREPROCESSOR, read_c};
use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "c",
    claims: Claims {
        extensions: &["c", "h"],
        interpreters: &["tcc"],
        test_files: &["test.c", "tests.c", "*_test.c", "*_tests.c", "*_unittest.c", "test-*.c", "test_*.c", "t_*.c"],
        signs: &[
            r"^\s*#\s*include\s*[<\x22]",
            r"^\s*#\s*(ifdef|ifndef|endif|define)\b",
            r"^typedef (struct|enum|union)\b",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_c::LANGUAGE.into(),
    readable: Some(read_c),
    queries: &[
        QueryText { file: "c/definitions.scm", text: include_str!("c/definitions.scm") },
        QueryText { file: "cfamily/definitions.scm", text: include_str!("cfamily/definitions.scm") },
        QueryText { file: "cfamily/references.scm", text: include_str!("cfamily/references.scm") },
        QueryText { file: "c/references.scm", text: include_str!("c/references.scm") },
        QueryText { file: "cfamily/imports.scm", text: include_str!("cfamily/imports.scm") },
    ],
    rules: Rules {
        separator: "::",
        inner_doc: &["///<", "//!<", "/**<", "/*!<"],
        members: &[("constant", "field"), ("variable", "field")],
        branches: Some(PREPROCESSOR),
        dialects: &["cpp"],
        ..Rules::NONE
    },
    sample: Sample {
        path: "src/store.c",
        text: r#"/* Stores. */
#ifndef STORE_H
#define STORE_H
#include "store.h"
#include <stdio.h>

/* At most. */
#define LIMIT 8

#define TWICE(x) ((x) + (x))

/* Where the system has none. */
#ifndef OFFSET
#define OFFSET 1
#endif

/* The same of a place. */
#if !defined(PLACE)
#define PLACE(x) (x)
#endif

/** Keeps records. */
typedef struct store_s {
    int count, *items; ///< How many.
    unsigned open : 1;
    char name[LIMIT];
    void (*close)(struct store_s *);
    union { int a; float b; };
    struct { int deep; } inner;
} store, *store_ptr;

typedef struct { double x; } point;

struct node {
    struct node *next; /**< The one after. */
};

union value { int number; char *text; };

enum color { RED, GREEN = 2 };

enum { MIN = 1, MAX };

typedef enum { OFF, ON } state;

typedef int (*compare)(const void *, const void *);
typedef unsigned long word_t, *words_t;

// Opens a store.
store *store_open(const char *path);

extern int errors;
static const char *const names[] = { "a", "b" };
static const struct ops ops = { .open = store_open, .close = &shut };
int first, *second = 0;

static int shut(store *s)
{
    s->count = 0;
    s->items[1] += 1;
    s->total++;
    if (s->close) s->close(s);
    int local = TWICE(sizeof(struct node));
    return fprintf(stderr, "%d", local);
}

#ifdef _WIN32
/* On one system. */
int place(void) { return 1; }
#else
int place(void) { return 2; }
#endif

__attribute__((format(printf, 1, 2)))
void complain(const char *format, ...);

EXPORT(int) old(a, b)
    int a;
    point b;
{
    return a + (int)b.x;
}

void (*handler(int number))(int) { return table[number]; }

TEST(opens) {
    store_open("x");
}

PHP_FUNCTION(words, 2)
{
    run();
}

BEGIN_DECLS

/* Behind macros. */
ZEXTERN int ZEXPORT inflate(const store *from UNUSED, int FAR *flush) NONNULL(1);
extern void print PARAMS((int, char *));
typedef int (WINAPI *hook)(int);
static const char bytes[] ALIGNED = "x";

METHODDEF(void)
start(store *s)
{
    TRACE(s)
    for_each_item(item, s->items) {
        visit(container_of(item, struct node, next));
    }
    else_where(va_arg(s, char *));
}

END_DECLS
#endif
"#,
        definitions: &[
            ("macro", "LIMIT"),
            ("macro", "TWICE"),
            ("macro", "OFFSET"),
            ("macro", "PLACE"),
            ("struct", "store"),
            ("struct", "store::store_s"),
            ("field", "store::count"),
            ("field", "store::items"),
            ("field", "store::open"),
            ("field", "store::name"),
            ("field", "store::close"),
            ("field", "store::a"),
            ("field", "store::b"),
            ("field", "store::inner"),
            ("field", "store::inner::deep"),
            ("type", "store::store_ptr"),
            ("struct", "point"),
            ("field", "point::x"),
            ("struct", "node"),
            ("field", "node::next"),
            ("union", "value"),
            ("field", "value::number"),
            ("field", "value::text"),
            ("enum", "color"),
            ("field", "color::RED"),
            ("field", "color::GREEN"),
            ("constant", "MIN"),
            ("constant", "MAX"),
            ("enum", "state"),
            ("field", "state::OFF"),
            ("field", "state::ON"),
            ("type", "compare"),
            ("type", "word_t"),
            ("type", "word_t::words_t"),
            ("function", "store_open"),
            ("variable", "errors"),
            ("constant", "names"),
            ("constant", "ops"),
            ("variable", "first"),
            ("variable", "second"),
            ("function", "shut"),
            ("function", "place"),
            ("function", "place"),
            ("function", "complain"),
            ("function", "old"),
            ("function", "handler"),
            ("test", "opens"),
            ("function", "words"),
            ("function", "inflate"),
            ("function", "print"),
            ("type", "hook"),
            ("constant", "bytes"),
            ("function", "start"),
        ],
        references: &[
            ("type", "store_s"),
            ("type", "node"),
            ("type", "store"),
            ("type", "ops"),
            ("write", "open"),
            ("read", "store_open"),
            ("write", "close"),
            ("read", "shut"),
            ("type", "store"),
            ("write", "s count"),
            ("write", "s items"),
            ("write", "s total"),
            ("call", "s close"),
            ("call", "TWICE"),
            ("type", "node"),
            ("call", "fprintf"),
            ("annotation", "format"),
            ("call", "EXPORT"),
            ("type", "point"),
            ("call", "TEST"),
            ("call", "store_open"),
            ("call", "PHP_FUNCTION"),
            ("call", "run"),
            ("type", "store"),
            ("call", "METHODDEF"),
            ("type", "store"),
            ("call", "TRACE"),
            ("call", "for_each_item"),
            ("call", "visit"),
            ("call", "container_of"),
            ("call", "else_where"),
            ("call", "va_arg"),
        ],
        imports: &["store.h: *", "<stdio.h>: *"],
    },
};
