; Types

(abstract_class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (_) @name
  body: (_) @body) @definition.interface

(type_alias_declaration
  name: (_) @name
  value: (_) @value) @definition.type

(enum_declaration
  name: (_) @name
  body: (_) @body) @definition.enum

(enum_body
  name: (_) @name @definition.field)

(enum_assignment
  name: (_) @name
  value: (_) @value) @definition.field

; Namespaces and modules

(internal_module
  name: (_) @name
  body: (_) @body) @definition.module

(module
  name: (_) @name
  body: (_) @body) @definition.module

; Signatures and members

(function_signature
  name: (_) @name) @definition.function

(method_signature
  name: (_) @name) @definition.method

(abstract_method_signature
  name: (_) @name) @definition.method

(property_signature
  name: (_) @name) @definition.field

(public_field_definition
  name: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method

(public_field_definition
  name: (_) @name
  value: (_) @value) @definition.field

(public_field_definition
  name: (_) @name) @definition.field

; Parameters that are fields, too

((required_parameter
   [(accessibility_modifier) (override_modifier) "readonly"]
   pattern: (identifier) @name) @definition.field
 (#set! local keep))

; Functions and components that a type follows

(variable_declarator
  name: (identifier) @name
  value: (as_expression (parenthesized_expression [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]))) @definition.function

((variable_declarator
   name: (identifier) @name
   value: (as_expression (call_expression
     function: (_) @_wrap
     arguments: (arguments . [
       (arrow_function body: (_) @body)
       (function_expression body: (_) @body)
     ])))) @definition.function
 (#match? @_wrap "^([a-zA-Z_$]+\\.)?(forwardRef|memo|observer)$"))

; What adds to a definition

(ambient_declaration (_) @wrapped) @wrapper
(expression_statement (internal_module) @wrapped) @wrapper
(accessibility_modifier) @visibility
