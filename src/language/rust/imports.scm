(use_declaration) @import
(use_declaration (visibility_modifier) @import.again)

(scoped_use_list
  path: (_) @import.prefix) @import.group

; One name

(use_declaration
  argument: [(identifier) (crate) (self) (super)] @import.name)
(use_declaration
  argument: (scoped_identifier path: (_) @import.specifier name: (identifier) @import.name))

; Names of a list

(use_list
  [(identifier) (self)] @import.name)
(use_list
  (scoped_identifier path: (_) @import.specifier name: (identifier) @import.name))

; Other local names

(use_as_clause
  path: (scoped_identifier path: (_) @import.specifier name: (identifier) @import.name)
  alias: (_) @import.alias)
(use_as_clause
  path: [(identifier) (crate) (self) (super)] @import.name
  alias: (_) @import.alias)

; All names

(use_wildcard (_) @import.specifier) @import.all
(use_wildcard) @import.all

; Crates and the files of modules

(extern_crate_declaration
  name: (_) @import.specifier
  alias: (_) @import.namespace) @import
(extern_crate_declaration
  name: (_) @import.specifier @import.namespace
  !alias) @import
(extern_crate_declaration (visibility_modifier) @import.again)

((mod_item
   name: (identifier) @import.specifier @import.namespace
   !body) @import
 (#set! prefix "self"))
(mod_item
  (visibility_modifier) @import.again
  !body)
