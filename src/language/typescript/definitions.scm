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

; What adds to a definition

(ambient_declaration (_) @wrapped) @wrapper
(expression_statement (internal_module) @wrapped) @wrapper
(accessibility_modifier) @visibility
