; Types: a name in parentheses makes a category, and empty ones an extension; members
; belong to the type

((class_interface
   "@interface" . (identifier) @name
   category: (identifier) @part.category
   [
     (declaration)
     (function_definition)
     (instance_variables)
     (method_declaration)
     (preproc_if)
     (preproc_ifdef)
     (property_declaration)
     (type_definition)
     "@end"
   ] @body) @definition.impl
 (#set! title "{name} ({category})"))

((class_interface
   "@interface" . (identifier) @name
   . "(" . ")"
   [
     (declaration)
     (function_definition)
     (instance_variables)
     (method_declaration)
     (preproc_if)
     (preproc_ifdef)
     (property_declaration)
     (type_definition)
     "@end"
   ] @body) @definition.impl
 (#set! title "{name} ()"))

(class_interface
  "@interface" . (identifier) @name
  [
    (declaration)
    (function_definition)
    (instance_variables)
    (method_declaration)
    (preproc_if)
    (preproc_ifdef)
    (property_declaration)
    (type_definition)
    "@end"
  ] @body) @definition.class

((class_implementation
   "@implementation" . (identifier) @name
   category: (identifier) @part.category
   [
     (implementation_definition)
     (instance_variables)
     "@end"
   ] @body) @definition.impl
 (#set! title "@implementation {name} ({category})"))

((class_implementation
   "@implementation" . (identifier) @name
   [
     (implementation_definition)
     (instance_variables)
     "@end"
   ] @body) @definition.impl
 (#set! title "@implementation {name}"))

(protocol_declaration
  "@protocol" . (identifier) @name
  [
    (declaration)
    (method_declaration)
    (preproc_if)
    (preproc_ifdef)
    (property_declaration)
    (qualified_protocol_interface_declaration)
    (type_definition)
    "@end"
  ] @body) @definition.interface

; The grammar calls the new name `class`

(compatibility_alias_declaration
  class: (identifier) @name) @definition.type

; A constant pointer is a constant

((declaration
   declarator: (init_declarator
     declarator: (pointer_declarator (type_qualifier) @_const)
     value: (_) @value) @name) @definition.constant
 (#eq? @_const "const")
 (#set! narrow declarator)
 (#set! local drop))

((declaration
   declarator: (pointer_declarator
     (type_qualifier) @_const
     declarator: (identifier)) @name) @definition.constant
 (#eq? @_const "const")
 (#set! narrow declarator)
 (#set! local drop))

; Methods, named by their selectors

((method_definition
   . [(attribute_specifier) (comment) (method_type)]*
   . (identifier) @name @part.selector
   . [
       (comment)
       (identifier) @part.selector
       (method_parameter ":" @part.selector)
     ]*
   (compound_statement) @body) @definition.method
 (#set! title "{selector}"))

((method_declaration
   . [(attribute_specifier) (comment) (method_type)]*
   . (identifier) @name @part.selector
   . [
       (comment)
       (identifier) @part.selector
       (method_parameter ":" @part.selector)
     ]*) @definition.method
 (#set! title "{selector}"))

; Properties and instance variables, one for each declarator

(property_declaration
  (struct_declaration
    (struct_declarator)
    (struct_declarator))) @ignore

((property_declaration
   (struct_declaration
     (struct_declarator (_) @name) @definition.field
     (struct_declarator)))
 (#set! narrow declarator))

((property_declaration
   (struct_declaration
     (struct_declarator)
     (struct_declarator (_) @name) @definition.field))
 (#set! narrow declarator))

((property_declaration
   (struct_declaration
     (struct_declarator . (_) @name))) @definition.field
 (#set! narrow declarator))

(property_declaration
  (atomic_declaration (field_identifier) @name)) @definition.field

(instance_variable
  (struct_declaration
    (struct_declarator)
    (struct_declarator))) @ignore

((instance_variable
   (struct_declaration
     (struct_declarator (_) @name) @definition.field
     (struct_declarator)))
 (#set! narrow declarator))

((instance_variable
   (struct_declaration
     (struct_declarator)
     (struct_declarator (_) @name) @definition.field))
 (#set! narrow declarator))

((instance_variable
   (struct_declaration
     (struct_declarator . (_) @name))) @definition.field
 (#set! narrow declarator))

(instance_variable
  (atomic_declaration (field_identifier) @name)) @definition.field

; A visibility ends with the block of variables that it stands in

(instance_variables
  (instance_variable (visibility_specification) @section)) @scope

; Enumerators of a named enumeration; `cfamily` reads the others

(enum_specifier
  name: (_)
  body: (enumerator_list
    (enumerator
      name: (_) @name
      value: (_) @value) @definition.field))

(enum_specifier
  name: (_)
  body: (enumerator_list
    (enumerator
      name: (_) @name) @definition.field))

(type_definition
  type: (enum_specifier
    body: (enumerator_list
      (enumerator
        name: (_) @name
        value: (_) @value) @definition.field)))

(type_definition
  type: (enum_specifier
    body: (enumerator_list
      (enumerator
        name: (_) @name) @definition.field)))

(block_literal) @scope
