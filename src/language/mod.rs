//! What cce knows of programming languages, one pack each.
//!
//! A [`Pack`] is data: which files it claims, a grammar, queries of our own and a
//! few rules. Nothing outside this room names a language; extraction is driven by
//! the pack's query captures, whose vocabulary is stated in [`program`]. **To add a
//! language, write one file with its queries beside it, declare it and add its name to
//! the table below**; `record::conformance` then holds the pack to the sample that it
//! carries.

mod c;
mod cfamily;
mod cpp;
pub mod declarator;
pub mod detect;
pub mod embedded;
mod go;
mod java;
mod javascript;
mod objc;
mod pack;
pub mod program;
mod python;
mod ruby;
mod rust;
mod tsx;
mod typescript;
pub mod validate;

pub use pack::{Branches, Claims, ExpectedDefinition, ExpectedReference, Pack, QueryText, Readable, Rules, Sample};

/// Makes the table of packs of the names of their modules.
macro_rules! packs {
    ($($module:ident)+) => {
        /// Every pack, in name order.
        pub static PACKS: [&Pack; [$(stringify!($module)),+].len()] = [$(&$module::PACK),+];
    };
}

packs! { c cpp go java javascript objc python ruby rust tsx typescript }

/// The pack called `name`.
pub fn pack(name: &str) -> Option<&'static Pack> {
    PACKS.into_iter().find(|pack| pack.name == name)
}

/// What stands between the parts of a qualified name in language `name`.
pub fn separator(name: &str) -> &'static str {
    pack(name).map_or(".", |pack| pack.rules.separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_name_order_without_twins() {
        assert!(PACKS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn no_two_packs_claim_the_same_file() {
        let claims = |of: fn(&Claims) -> &'static [&'static str]| {
            let mut all: Vec<&str> = PACKS.iter().flat_map(|pack| of(&pack.claims)).copied().collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{all:?}");
        };
        claims(|claims| claims.extensions);
        claims(|claims| claims.file_names);
        claims(|claims| claims.interpreters);
    }
}
