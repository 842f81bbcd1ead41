//! TypeScript.

use std::sync::LazyLock;

use regex::Regex;

use super::{Claims, Pack, QueryText, Readable, Rules, Sample};

/// Words that the grammar does not know where they stand, each a group: the variance of a
/// type parameter, the mark of a type-only `export *`, the module of a type with arguments.
static UNKNOWN: LazyLock<Regex> = LazyLock::new(|| {
    let module = r#"\bimport\((?:"[^"\n]*"|'[^'\n]*')\)\."#;
    let patterns = [
        r"[<,]\s*(?:const\s+)?((?:in\s+out|in|out)\s+)[A-Za-z_$]".to_owned(),
        r"\bexport\s+(type)\s+\*".to_owned(),
        format!(r"({module})[A-Z][\w$]*(?:\.[A-Z][\w$]*)*<"),
    ];
    Regex::new(&patterns.join("|")).expect("the patterns are constant, and the sample holds each")
});

/// Blanks the words that the grammar does not know.
pub(super) fn readable(text: &str) -> Option<Readable> {
    let mut bytes: Option<Vec<u8>> = None;
    for found in UNKNOWN.captures_iter(text) {
        let words = found.iter().skip(1).flatten();
        for word in words {
            let bytes = bytes.get_or_insert_with(|| text.as_bytes().to_vec());
            Readable::blank(&mut bytes[word.range()]);
        }
    }
    Some(Readable { text: String::from_utf8(bytes?).ok()?, adornments: Vec::new() })
}

pub(super) static PACK: Pack = Pack {
    name: "typescript",
    claims: Claims {
        extensions: &["cts", "mts", "ts"],
        file_names: &[],
        interpreters: &["deno", "ts-node", "tsx"],
        test_files: &["*.test.ts", "*.spec.ts", "*.test.mts", "*.test.cts", "*.e2e.ts"],
        signs: &[
            r"^import (type )?[\w*{} ,$]+ from .",
            r"^export (declare |abstract )*(interface|type|enum|namespace) \w+",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    readable: Some(readable),
    queries: &[
        QueryText { file: "typescript/definitions.scm", text: include_str!("typescript/definitions.scm") },
        QueryText { file: "ecmascript/definitions.scm", text: include_str!("ecmascript/definitions.scm") },
        QueryText { file: "typescript/references.scm", text: include_str!("typescript/references.scm") },
        QueryText { file: "ecmascript/references.scm", text: include_str!("ecmascript/references.scm") },
        QueryText { file: "typescript/imports.scm", text: include_str!("typescript/imports.scm") },
        QueryText { file: "ecmascript/imports.scm", text: include_str!("ecmascript/imports.scm") },
    ],
    rules: Rules { dialects: &["tsx"], ..Rules::NONE },
    sample: Sample {
        path: "src/memory.ts",
        text: r#"import type { Config } from "./config"
import legacy = require("legacy")
export type { Options as Settings } from "./options"
export type * from "./types"

/** What a store can do. */
export interface Store<T> extends Reader, Closer<T> {
  /** Its name. */
  readonly name: string
  get(key: string): Promise<T>
}

export type Handler = (event: Event) => void

export interface Key<in out K, out V> { value: import("./value").Value<V> }

export enum Level { Low, High = 2 }

declare module "plugin" {
  export function load(name: string): Plugin
}

namespace Shapes.Flat {
  export const SIDES = 4
}

export function pick(key: string): string
export function pick(key: number): number
export function pick(key: any) { return key }

// Keeps things in memory.
@Injectable({ scope: "x" })
export abstract class Memory<T> extends Base<T> implements Store<T>, api.Closer {
  private readonly items: Map<string, T> = new Map()
  handler = async () => { await this.flush() }
  constructor(private config: Config, readonly size = 1, other?: number) { super() }
  @Log() protected async get(key: string): Promise<T> { return this.items.get(key)! }
  abstract flush(): void
}

const widen = ((key) => key) as <T>(key: T) => T
const Pane = forwardRef<Props>((props: Props, ref) => ref) as typeof Memory
export default { table, load() { return 1 } } satisfies Options

const table: Record<string, Handler> = {
  open: (event) => { run(event) },
}
"#,
        definitions: &[
            ("interface", "Store"),
            ("field", "Store.name"),
            ("method", "Store.get"),
            ("type", "Handler"),
            ("interface", "Key"),
            ("field", "Key.value"),
            ("enum", "Level"),
            ("field", "Level.Low"),
            ("field", "Level.High"),
            ("module", "plugin"),
            ("function", "plugin.load"),
            ("module", "Shapes.Flat"),
            ("constant", "Shapes.Flat.SIDES"),
            ("function", "pick"),
            ("function", "pick"),
            ("function", "pick"),
            ("class", "Memory"),
            ("field", "Memory.items"),
            ("method", "Memory.handler"),
            ("method", "Memory.constructor"),
            ("field", "Memory.config"),
            ("field", "Memory.size"),
            ("method", "Memory.get"),
            ("method", "Memory.flush"),
            ("function", "widen"),
            ("function", "Pane"),
            ("constant", "default"),
            ("method", "default.load"),
            ("constant", "table"),
            ("method", "table.open"),
        ],
        references: &[
            ("import", "Config"),
            ("import", "Options"),
            ("inherit", "Reader"),
            ("inherit", "Closer"),
            ("type", "T"),
            ("type", "Promise"),
            ("type", "T"),
            ("type", "Event"),
            ("type", "Value"),
            ("type", "V"),
            ("type", "Plugin"),
            ("annotation", "Injectable"),
            ("inherit", "Base"),
            ("type", "T"),
            ("implement", "Store"),
            ("type", "T"),
            ("implement", "api Closer"),
            ("type", "Map"),
            ("type", "T"),
            ("call", "Map"),
            ("call", "this flush"),
            ("type", "Config"),
            ("annotation", "Log"),
            ("type", "Promise"),
            ("type", "T"),
            ("call", "this.items get"),
            ("type", "T"),
            ("type", "T"),
            ("call", "forwardRef"),
            ("type", "Props"),
            ("type", "Props"),
            ("type", "Memory"),
            ("type", "Options"),
            ("type", "Record"),
            ("type", "Handler"),
            ("call", "run"),
        ],
        imports: &[
            "./config: Config",
            "legacy: * as legacy",
            "./options: Options as Settings (again)",
            "./types: * (again)",
        ],
    },
};
