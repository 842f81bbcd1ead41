(using_declaration
  "namespace"
  [(identifier) (qualified_identifier)] @import.specifier @import.all) @import
((using_declaration
   (qualified_identifier
     scope: (_) @import.specifier
     name: (identifier) @import.name)) @import
 (#not-match? @import "^using\\s+namespace"))
((using_declaration
   (qualified_identifier
     scope: (_) @import.prefix
     name: (qualified_identifier
       scope: (_) @import.specifier
       name: (identifier) @import.name)) @import.group) @import
 (#not-match? @import "^using\\s+namespace"))
(namespace_alias_definition
  name: (namespace_identifier) @import.namespace
  [(namespace_identifier) (nested_namespace_specifier)] @import.specifier .) @import
((declaration
  type: (type_identifier) @_import
  declarator: (identifier) @import.specifier @import.namespace) @import
 (#eq? @_import "import"))
