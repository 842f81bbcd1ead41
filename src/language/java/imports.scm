(import_declaration) @import

(import_declaration
  (scoped_identifier scope: (_) @import.specifier name: (identifier) @import.name)
  . ";")
(import_declaration (identifier) @import.name . ";")
(import_declaration
  (_) @import.specifier
  . (asterisk) @import.all)

; The modules that a module needs

(requires_module_directive
  module: (_) @import.specifier @import.namespace) @import
((requires_module_directive
   modifiers: (requires_modifier) @import.again)
 (#eq? @import.again "transitive"))
