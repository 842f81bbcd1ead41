//! TypeScript.

use super::{Claims, Pack, QueryText, Rules, Sample};

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
    readable: None,
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

/** What a store can do. */
export interface Store<T> extends Reader, Closer<T> {
  /** Its name. */
  readonly name: string
  get(key: string): Promise<T>
}

export type Handler = (event: Event) => void

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
        imports: &["./config: Config", "legacy: * as legacy", "./options: Options as Settings (again)"],
    },
};
