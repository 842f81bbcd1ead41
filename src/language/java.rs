//! Java.

use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "java",
    claims: Claims {
        extensions: &["java", "jsh"],
        interpreters: &["java", "jbang", "jshell"],
        test_files: &["*Test.java", "*Tests.java", "*TestCase.java", "Test*.java", "*IT.java"],
        signs: &[
            r"^package [\w.]+;$",
            r"^import (static )?[\w.]+(\.\*)?;$",
            r"^\s*(public|private|protected) (static |final |abstract )*(class|interface|enum|record) \w+",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_java::LANGUAGE.into(),
    readable: None,
    queries: &[
        QueryText { file: "java/definitions.scm", text: include_str!("java/definitions.scm") },
        QueryText { file: "java/references.scm", text: include_str!("java/references.scm") },
        QueryText { file: "java/imports.scm", text: include_str!("java/imports.scm") },
    ],
    rules: Rules {
        test_attributes: &[
            "Test",
            "ParameterizedTest",
            "RepeatedTest",
            "TestFactory",
            "TestTemplate",
            "Theory",
            "FuzzTest",
            "Benchmark",
        ],
        ..Rules::NONE
    },
    sample: Sample {
        path: "src/test/java/shop/StoreTest.java",
        text: r#"/* Licence. */
package shop;

import java.util.List;
import java.util.function.*;
import static java.util.Map.entry;
import static org.junit.Assert.*;

/**
 * Keeps records.
 */
@Component("store")
@SuppressWarnings("all")
public abstract sealed class Store<T extends Record & Named> extends base.Base<T>
        implements Keeper, Closer<T>, AutoCloseable permits DiskStore {
    /** At most. */
    @Deprecated
    public static final int LIMIT = 8;
    final static String NAME;
    @SuppressWarnings("static-access") final int most = 1;
    static final int FIRST = 1, SECOND = 2;
    private static final Logger LOGGER = Logger.getLogger(Store.class);

    // Both.
    private int width, height = 2;
    protected final List<T> items = new ArrayList<>(); // all of them
    private final Comparator<T> order = (a, b) -> a.compareTo(b);
    static final Supplier<Store> MAKER = () -> { return null; };
    private Runnable task = new Runnable() {
        int runs;

        @Override
        public void run() { LOGGER.info("run"); }
    };

    static {
        register(NAME);
    }

    /** Makes one. */
    @Inject
    protected Store(Config config) throws IOException {
        super(config);
        this.width = config.width();
        this.height++;
    }

    @Override
    public <R> List<R> map(Function<? super T, R> function, T... rest) {
        class Local { }
        var names = items.stream().map(Named::name).map(String::valueOf).toList();
        Supplier<List<R>> make = ArrayList::new;
        Object made = new Outer.Inner<R>(), other = Level.HIGH;
        try {
            return Lists.transform(items, function);
        } catch (IllegalStateException | java.io.IOException error) {
            throw error;
        }
    }

    abstract T get(String key);

    /** Nested. */
    interface Named extends Serializable, api.Named {
        String DEFAULT = "x", OTHER = "y";
        Function<String, String> SAME = name -> name;
        String name();
        default int size() { return name().length(); }
    }

    enum Level implements Supplier<String> {
        /** Low. */
        LOW(1),
        HIGH(2) {
            @Override
            public String get() { return "high"; }
        };

        private final int rank;

        Level(int rank) { this.rank = rank; }
    }
}

/** A point. */
record Point(@Min(0) int x, List<String>... rest) implements Comparable<Point> {
    static int count;

    Point {
        check(x);
    }

    public int compareTo(Point other) { return switch (other) { case Point(int y, var z) -> y; }; }
}

@Retention(RetentionPolicy.RUNTIME)
@interface Marked {
    /** What. */
    String value() default "";
    int LEVEL = 1;
}

class StoreTest {
    @DisplayName("maps")
    @org.junit.jupiter.api.Test
    void maps() {
        assertEquals(1, new Store<Point>(null).map(null).size());
    }

    @ParameterizedTest @ValueSource(ints = {1, 2})
    void counts(int count) { }
}

class OldTest extends TestCase {
    public void testOld() { }
}

/** Of this module. */
module shop.store {
    requires java.base;
    requires transitive shop.api;
    exports shop;
    uses shop.api.Keeper;
    provides shop.api.Keeper with shop.DiskStore, shop.MemoryStore;
}
"#,
        definitions: &[
            ("class", "Store"),
            ("constant", "Store.LIMIT"),
            ("constant", "Store.NAME"),
            ("field", "Store.most"),
            ("constant", "Store.FIRST"),
            ("constant", "Store.SECOND"),
            ("constant", "Store.LOGGER"),
            ("field", "Store.width"),
            ("field", "Store.height"),
            ("field", "Store.items"),
            ("method", "Store.order"),
            ("method", "Store.MAKER"),
            ("field", "Store.task"),
            ("field", "Store.task.runs"),
            ("method", "Store.task.run"),
            ("method", "Store.Store"),
            ("method", "Store.map"),
            ("class", "Store.map.Local"),
            ("method", "Store.get"),
            ("interface", "Store.Named"),
            ("constant", "Store.Named.DEFAULT"),
            ("constant", "Store.Named.OTHER"),
            ("method", "Store.Named.SAME"),
            ("method", "Store.Named.name"),
            ("method", "Store.Named.size"),
            ("enum", "Store.Level"),
            ("field", "Store.Level.LOW"),
            ("field", "Store.Level.HIGH"),
            ("method", "Store.Level.HIGH.get"),
            ("field", "Store.Level.rank"),
            ("method", "Store.Level.Level"),
            ("struct", "Point"),
            ("field", "Point.x"),
            ("field", "Point.rest"),
            ("field", "Point.count"),
            ("method", "Point.Point"),
            ("method", "Point.compareTo"),
            ("interface", "Marked"),
            ("method", "Marked.value"),
            ("constant", "Marked.LEVEL"),
            ("class", "StoreTest"),
            ("test", "StoreTest.maps"),
            ("test", "StoreTest.counts"),
            ("class", "OldTest"),
            ("test", "OldTest.testOld"),
            ("module", "shop.store"),
        ],
        references: &[
            ("import", "List"),
            ("import", "entry"),
            ("annotation", "Component"),
            ("annotation", "SuppressWarnings"),
            ("type", "Record"),
            ("type", "Named"),
            ("inherit", "base Base"),
            ("type", "T"),
            ("implement", "Keeper"),
            ("implement", "Closer"),
            ("type", "T"),
            ("implement", "AutoCloseable"),
            ("type", "DiskStore"),
            ("annotation", "Deprecated"),
            ("type", "String"),
            ("annotation", "SuppressWarnings"),
            ("type", "Logger"),
            ("type", "Logger"),
            ("call", "Logger getLogger"),
            ("type", "Store"),
            ("type", "List"),
            ("type", "T"),
            ("call", "ArrayList"),
            ("type", "Comparator"),
            ("type", "T"),
            ("call", "a compareTo"),
            ("type", "Supplier"),
            ("type", "Store"),
            ("type", "Runnable"),
            ("call", "Runnable"),
            ("annotation", "Override"),
            ("call", "LOGGER info"),
            ("call", "register"),
            ("annotation", "Inject"),
            ("type", "Config"),
            ("type", "IOException"),
            ("write", "this width"),
            ("call", "config width"),
            ("write", "this height"),
            ("annotation", "Override"),
            ("type", "List"),
            ("type", "R"),
            ("type", "Function"),
            ("type", "T"),
            ("type", "R"),
            ("type", "T"),
            ("call", "items stream"),
            ("call", "items.stream() map"),
            ("type", "Named"),
            ("call", "Named name"),
            ("call", "items.stream().map(Named::name) map"),
            ("type", "String"),
            ("call", "String valueOf"),
            ("call", "items.stream().map(Named::name).map(String::valueOf) toList"),
            ("type", "Supplier"),
            ("type", "List"),
            ("type", "R"),
            ("call", "ArrayList"),
            ("type", "Object"),
            ("type", "Outer"),
            ("call", "Outer Inner"),
            ("type", "R"),
            ("type", "Level"),
            ("type", "Lists"),
            ("call", "Lists transform"),
            ("type", "IllegalStateException"),
            ("type", "java.io IOException"),
            ("type", "T"),
            ("type", "String"),
            ("inherit", "Serializable"),
            ("inherit", "api Named"),
            ("type", "String"),
            ("type", "Function"),
            ("type", "String"),
            ("type", "String"),
            ("type", "String"),
            ("call", "name"),
            ("call", "name() length"),
            ("implement", "Supplier"),
            ("type", "String"),
            ("annotation", "Override"),
            ("type", "String"),
            ("write", "this rank"),
            ("annotation", "Min"),
            ("type", "List"),
            ("type", "String"),
            ("implement", "Comparable"),
            ("type", "Point"),
            ("call", "check"),
            ("type", "Point"),
            ("annotation", "Retention"),
            ("type", "RetentionPolicy"),
            ("type", "String"),
            ("annotation", "DisplayName"),
            ("annotation", "org.junit.jupiter.api Test"),
            ("call", "assertEquals"),
            ("call", "Store"),
            ("type", "Point"),
            ("call", "new Store<Point>(null) map"),
            ("call", "new Store<Point>(null).map(null) size"),
            ("annotation", "ParameterizedTest"),
            ("annotation", "ValueSource"),
            ("inherit", "TestCase"),
            ("type", "shop.api Keeper"),
            ("implement", "shop.api Keeper"),
            ("type", "shop DiskStore"),
            ("type", "shop MemoryStore"),
        ],
        imports: &[
            "java.util: List",
            "java.util.function: *",
            "java.util.Map: entry",
            "org.junit.Assert: *",
            "java.base: * as java.base",
            "shop.api: * as shop.api (again)",
        ],
    },
};
