//! JavaScript, JSX included.

use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "javascript",
    claims: Claims {
        extensions: &["cjs", "js", "jsx", "mjs"],
        file_names: &["Jakefile"],
        interpreters: &["bun", "node", "nodejs"],
        test_files: &["*.test.js", "*.spec.js", "*.test.jsx", "*.spec.jsx", "*.test.mjs", "*.test.cjs"],
        signs: &[
            r"^(const|let|var) [\w{}\s,$]+ = require\(",
            r"^module\.exports\b",
            r"^import [\w*{} ,$]+ from .",
            r"^.use strict.;?$",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    readable: None,
    queries: &[
        QueryText { file: "javascript/definitions.scm", text: include_str!("javascript/definitions.scm") },
        QueryText { file: "ecmascript/definitions.scm", text: include_str!("ecmascript/definitions.scm") },
        QueryText { file: "javascript/references.scm", text: include_str!("javascript/references.scm") },
        QueryText { file: "ecmascript/references.scm", text: include_str!("ecmascript/references.scm") },
        QueryText { file: "ecmascript/jsx.scm", text: include_str!("ecmascript/jsx.scm") },
        QueryText { file: "ecmascript/imports.scm", text: include_str!("ecmascript/imports.scm") },
    ],
    rules: Rules { dialects: &["tsx", "typescript"], ..Rules::NONE },
    sample: Sample {
        path: "src/auth.js",
        text: r#"import React, { useState as state, memo } from 'react'
import * as path from "path"
import './polyfill'
export * from './all'
export * as names from './names'
export { login, default as out } from './login'
const { a, b: c } = require('./ab')
const fs = require("fs")

/** Signs in. */
export const signIn = async (user) => {
  const local = 1
  const { lazy } = await import('./lazy')
  return fs.read(user)
}

export default class Auth extends Base.Service {
  #token = null
  static limit = 3
  onClick = () => this.refresh()
  constructor(x) { super(x); this.token = new Token(x) }
  get token() { return this.#token }
}

function* walk() { yield 1 }

module.exports = {
  start() { return 1 },
  stop: function () { return 2 },
}
exports.render = function () { return <Panel><Menu.Item/></Panel> }

exports.version = '1.0'

let state1 = 1, state2

// A button.
export const Button = memo(forwardRef((props, ref) => <b ref={ref} />))
const later = debounce(function () { return 3 }, 100)
export const { red, blue: azure, green = 1, ...others } = theme
let [first, second = 2] = pair

;(function (root) {
  var inside = 1
}(this))

describe('auth', () => {
  it('signs in', async () => {
    const result = await signIn('x')
  })
  it.each([1, 2])(`adds ${1}`, (one) => expect(one))
})
test.only('alone', { skip: false }, async (t) => {
  await t.test('inner', () => {})
})
"#,
        definitions: &[
            ("function", "signIn"),
            ("class", "Auth"),
            ("field", "Auth.#token"),
            ("field", "Auth.limit"),
            ("method", "Auth.onClick"),
            ("method", "Auth.constructor"),
            ("method", "Auth.token"),
            ("function", "walk"),
            ("constant", "exports"),
            ("method", "exports.start"),
            ("method", "exports.stop"),
            ("function", "render"),
            ("constant", "version"),
            ("variable", "state1"),
            ("variable", "state2"),
            ("function", "Button"),
            ("function", "later"),
            ("constant", "red"),
            ("constant", "azure"),
            ("constant", "green"),
            ("constant", "others"),
            ("variable", "first"),
            ("variable", "second"),
            ("variable", "inside"),
            ("test", "auth"),
            ("test", "auth.signs in"),
            ("test", "auth.adds ${1}"),
            ("test", "alone"),
            ("test", "alone.inner"),
        ],
        references: &[
            ("import", "React"),
            ("import", "useState"),
            ("import", "memo"),
            ("import", "login"),
            ("import", "default"),
            ("import", "a"),
            ("import", "b"),
            ("import", "lazy"),
            ("call", "fs read"),
            ("inherit", "Base Service"),
            ("call", "this refresh"),
            ("write", "this token"),
            ("call", "Token"),
            ("call", "Panel"),
            ("call", "Menu Item"),
            ("call", "memo"),
            ("call", "forwardRef"),
            ("call", "debounce"),
            ("call", "describe"),
            ("call", "it"),
            ("call", "signIn"),
            ("call", "it each"),
            ("call", "expect"),
            ("call", "test only"),
            ("call", "t test"),
        ],
        imports: &[
            "react: default as React, useState as state, memo",
            "path: * as path",
            "./polyfill",
            "./all: * (again)",
            "./names: * as names (again)",
            "./login: login, default as out (again)",
            "./ab: a, b as c",
            "fs: * as fs",
            "./lazy: lazy",
        ],
    },
};
