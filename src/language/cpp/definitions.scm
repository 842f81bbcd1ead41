; Test cases

((function_definition
  declarator: (function_declarator
    declarator: (identifier) @_test
    parameters: (parameter_list
      . (parameter_declaration type: (_) @part.suite !declarator)
      . (parameter_declaration type: (_) @name !declarator) .))
  body: (_) @body) @definition.test
 (#match? @_test "^([A-Z0-9]+_)*TEST(_[A-Z0-9]+)*$")
 (#set! title "{suite}.{name}"))

((function_definition
  declarator: (function_declarator
    declarator: (identifier) @_test
    parameters: (parameter_list
      . (parameter_declaration type: (_) @name !declarator)))
  body: (_) @body) @definition.test
 (#match? @_test "^([A-Z0-9]+_)*(TEST|BENCHMARK)(_[A-Z0-9]+)*$"))

; A function that a macro makes is named by the first argument

((function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: (type_identifier) @name !declarator)))
  body: (_) @body) @definition.function
 (#match? @_macro "^[A-Z][A-Z0-9_]+$"))

; Functions without a body of their own, conversions, and functions that a variable holds

((function_definition
   declarator: (operator_cast
     "operator" @name
     type: (_) @part.type)
   body: (_) @body) @definition.method
 (#set! title "operator {type}"))

((function_definition
   declarator: (operator_cast
     "operator" @name
     type: (_) @part.type)) @definition.method
 (#set! title "operator {type}"))

((function_definition
   declarator: (qualified_identifier
     name: (operator_cast
       type: (_) @part.type)) @name
   body: (_) @body) @definition.method
 (#set! title "operator {type}"))

((declaration
   declarator: (operator_cast
     "operator" @name
     type: (_) @part.type)) @definition.method
 (#set! title "operator {type}"))

((function_definition
   declarator: (_) @name
   [(default_method_clause) (delete_method_clause) (pure_virtual_clause) (try_statement)]) @definition.function
 (#set! narrow declarator))

((init_declarator
   declarator: (identifier) @name
   value: (lambda_expression body: (_) @body)) @definition.function)

; Types

((class_specifier
   name: (_) @name
   body: (_) @body) @definition.class
 (#set! narrow path))

((concept_definition
  name: (identifier) @name) @definition.type)

((alias_declaration
  name: (type_identifier) @name
  type: (_) @value) @definition.type)

; Namespaces

(namespace_definition
  name: (_) @name
  body: (_) @body) @definition.module

; Values of fields

((field_declaration
   (type_qualifier) @_constant
   declarator: (field_identifier) @name
   default_value: (_) @value) @definition.field
 (#any-of? @_constant "constexpr" "const"))

; What belongs to the definition around it

(template_declaration
  [
    (alias_declaration)
    (class_specifier)
    (concept_definition)
    (declaration)
    (friend_declaration)
    (function_definition)
    (struct_specifier)
    (template_declaration)
    (union_specifier)
  ] @wrapped) @wrapper

(friend_declaration
  [(declaration) (function_definition)] @wrapped) @wrapper

(declaration
  . type: (_)
  . declarator: (init_declarator value: (lambda_expression)) @wrapped .) @wrapper

(field_declaration_list (access_specifier) @section)

(lambda_expression) @scope
(type_parameter_declaration (type_identifier) @ignore)
(variadic_type_parameter_declaration (type_identifier) @ignore)
(optional_type_parameter_declaration name: (type_identifier) @ignore)
