//! TypeScript with JSX.

use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "tsx",
    claims: Claims {
        extensions: &["tsx"],
        file_names: &[],
        interpreters: &[],
        test_files: &["*.test.tsx", "*.spec.tsx"],
        ..Claims::NONE
    },
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    readable: Some(super::typescript::readable),
    queries: &[
        QueryText { file: "typescript/definitions.scm", text: include_str!("typescript/definitions.scm") },
        QueryText { file: "ecmascript/definitions.scm", text: include_str!("ecmascript/definitions.scm") },
        QueryText { file: "typescript/references.scm", text: include_str!("typescript/references.scm") },
        QueryText { file: "ecmascript/references.scm", text: include_str!("ecmascript/references.scm") },
        QueryText { file: "ecmascript/jsx.scm", text: include_str!("ecmascript/jsx.scm") },
        QueryText { file: "typescript/imports.scm", text: include_str!("typescript/imports.scm") },
        QueryText { file: "ecmascript/imports.scm", text: include_str!("ecmascript/imports.scm") },
    ],
    rules: Rules { dialects: &["typescript"], ..Rules::NONE },
    sample: Sample {
        path: "src/card.tsx",
        text: r#"import { useState } from "react"
import Panel from "./panel"

interface Props { title: string }

/** A card. */
export const Card: React.FC<Props> = ({ title }) => {
  const [open, setOpen] = useState<boolean>(false)
  function toggle() {
    setOpen(!open)
  }
  return <Panel onClick={toggle}><h1>{title}</h1><Menu.Item /></Panel>
}

export default function App() {
  return <Card title="x" />
}
"#,
        definitions: &[
            ("interface", "Props"),
            ("field", "Props.title"),
            ("function", "Card"),
            ("function", "Card.toggle"),
            ("function", "App"),
        ],
        references: &[
            ("import", "useState"),
            ("import", "Panel"),
            ("type", "React FC"),
            ("type", "Props"),
            ("call", "useState"),
            ("call", "setOpen"),
            ("call", "Panel"),
            ("call", "Menu Item"),
            ("call", "Card"),
        ],
        imports: &["react: useState", "./panel: default as Panel"],
    },
};
