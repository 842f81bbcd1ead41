; Functions that a macro with one argument makes

((function_definition
   type: (type_identifier) @_test
   declarator: (parenthesized_declarator (identifier) @name)
   body: (_) @body) @definition.test
 (#match? @_test "^([A-Z0-9]+_)*TEST(_[A-Z0-9]+)*$"))

((function_definition
   type: (type_identifier) @_macro
   declarator: (parenthesized_declarator (identifier) @name)
   body: (_) @body) @definition.function
 (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
