//! Python.

use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "python",
    claims: Claims {
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConscript", "SConstruct", "wscript"],
        interpreters: &["pypy", "python", "pythonw"],
        test_files: &["test_*.py", "*_test.py", "conftest.py", "tests.py"],
        signs: &[
            r"^(from [\w.]+ )?import [\w., ]+( as \w+)?$",
            r"^(async )?def \w+\(.*:$",
            r"^class \w+(\(.*\))?:$",
            r"^if __name__ == .__main__.:",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_python::LANGUAGE.into(),
    readable: None,
    queries: &[
        QueryText { file: "python/definitions.scm", text: include_str!("python/definitions.scm") },
        QueryText { file: "python/references.scm", text: include_str!("python/references.scm") },
        QueryText { file: "python/imports.scm", text: include_str!("python/imports.scm") },
    ],
    rules: Rules {
        members: &[("function", "method"), ("variable", "field"), ("constant", "field")],
        constants_by_case: true,
        ..Rules::NONE
    },
    sample: Sample {
        path: "shop/cart.py",
        text: r#""""A cart."""
from __future__ import annotations
import os.path, numpy as np
from ..db import Store as Base
from . import *

LIMIT = 10  # items
total: int = 0
WIDTH, height = 4, 3
type Price = int | Money


# Keeps items.
@dataclass(frozen=True)
class Cart(Base, models.Model, Generic[Thing], metaclass=Strict):
    """Holds items."""

    size: int = LIMIT

    @property
    async def items(self) -> list[Item]:
        def inner():
            count = 1
            return count
        self.seen = inner()
        self.low, self.high = bounds
        return await self.store.fetch(self.size)


def test_cart():
    import json
    try:
        return Cart().items()
    except ValueError:
        raise Missing from None
    except (KeyError, os.Error):
        pass
    except (EOFError, http.Failure) as failure:
        raise http.Gone
    except socket.error as error:
        pass


def price(of: int | str | db.Row | None) -> None:
    match of:
        case Money(amount=1) | db.Row():
            pass
"#,
        definitions: &[
            ("constant", "LIMIT"),
            ("variable", "total"),
            ("constant", "WIDTH"),
            ("variable", "height"),
            ("type", "Price"),
            ("class", "Cart"),
            ("field", "Cart.size"),
            ("method", "Cart.items"),
            ("function", "Cart.items.inner"),
            ("function", "test_cart"),
            ("function", "price"),
        ],
        references: &[
            ("import", "annotations"),
            ("import", "os.path"),
            ("import", "numpy"),
            ("import", "Store"),
            ("type", "int"),
            ("type", "int"),
            ("type", "Money"),
            ("annotation", "dataclass"),
            ("inherit", "Base"),
            ("inherit", "models Model"),
            ("inherit", "Generic"),
            ("type", "Thing"),
            ("type", "Strict"),
            ("type", "int"),
            ("annotation", "property"),
            ("type", "list"),
            ("type", "Item"),
            ("write", "self seen"),
            ("call", "inner"),
            ("write", "self low"),
            ("write", "self high"),
            ("call", "self.store fetch"),
            ("import", "json"),
            ("call", "Cart"),
            ("call", "Cart() items"),
            ("type", "ValueError"),
            ("type", "Missing"),
            ("type", "KeyError"),
            ("type", "os Error"),
            ("type", "EOFError"),
            ("type", "http Failure"),
            ("type", "http Gone"),
            ("type", "socket error"),
            ("type", "int"),
            ("type", "str"),
            ("type", "db Row"),
            ("type", "Money"),
            ("type", "Row"),
        ],
        imports: &[
            "__future__: annotations",
            "os.path: * as os.path",
            "numpy: * as np",
            "..db: Store as Base",
            ".: *",
            "json: * as json",
        ],
    },
};
