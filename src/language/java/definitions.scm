; Types

(class_declaration
  name: (identifier) @name
  body: (class_body) @body) @definition.class

(interface_declaration
  name: (identifier) @name
  body: (interface_body) @body) @definition.interface

(enum_declaration
  name: (identifier) @name
  body: (enum_body) @body) @definition.enum

(enum_constant
  name: (identifier) @name
  body: (class_body) @body) @definition.field

(enum_constant
  name: (identifier) @name) @definition.field

(record_declaration
  name: (identifier) @name
  body: (class_body) @body) @definition.struct

(record_declaration
  parameters: (formal_parameters
    (formal_parameter name: (identifier) @name) @definition.field))

(record_declaration
  parameters: (formal_parameters
    (spread_parameter (variable_declarator name: (identifier) @name)) @definition.field))

(annotation_type_declaration
  name: (identifier) @name
  body: (annotation_type_body) @body) @definition.interface

(annotation_type_element_declaration
  name: (_) @name) @definition.method

; Methods and constructors

((class_declaration
   superclass: (superclass (type_identifier) @_base)
   body: (class_body
     (method_declaration
       name: (identifier) @name
       body: (block) @body) @definition.test))
 (#match? @_base "TestCase$")
 (#match? @name "^test"))

(program
  (method_declaration
    name: (_) @name
    body: (block) @body) @definition.function)

(method_declaration
  name: (_) @name
  body: (block) @body) @definition.method

(method_declaration
  name: (_) @name) @definition.method

(constructor_declaration
  name: (identifier) @name
  body: (constructor_body) @body) @definition.method

(compact_constructor_declaration
  name: (identifier) @name
  body: (block) @body) @definition.method

; Functions that a field holds

(field_declaration
  declarator: (variable_declarator
    name: (_) @name
    value: (lambda_expression body: (_) @body))
  . ";") @definition.method

(constant_declaration
  declarator: (variable_declarator
    name: (_) @name
    value: (lambda_expression body: (_) @body))
  . ";") @definition.method

; Constants and fields: a declaration of one name is the field, of several each name is one

((field_declaration
   (modifiers) @_modifiers
   type: (_)
   . declarator: (variable_declarator name: (_) @name value: (_) @value)
   . ";") @definition.constant
 (#match? @_modifiers "(^|\\s)static(\\s|$)")
 (#match? @_modifiers "(^|\\s)final(\\s|$)"))

((field_declaration
   (modifiers) @_modifiers
   type: (_)
   . declarator: (variable_declarator name: (_) @name)
   . ";") @definition.constant
 (#match? @_modifiers "(^|\\s)static(\\s|$)")
 (#match? @_modifiers "(^|\\s)final(\\s|$)"))

((field_declaration
   (modifiers) @_modifiers
   declarator: (variable_declarator name: (_) @name) @definition.constant
   . ",")
 (#match? @_modifiers "(^|\\s)static(\\s|$)")
 (#match? @_modifiers "(^|\\s)final(\\s|$)"))

((field_declaration
   (modifiers) @_modifiers
   ","
   . declarator: (variable_declarator name: (_) @name) @definition.constant)
 (#match? @_modifiers "(^|\\s)static(\\s|$)")
 (#match? @_modifiers "(^|\\s)final(\\s|$)"))

(field_declaration
  type: (_)
  . declarator: (variable_declarator name: (_) @name value: (_) @value)
  . ";") @definition.field

(field_declaration
  type: (_)
  . declarator: (variable_declarator name: (_) @name)
  . ";") @definition.field

(field_declaration
  declarator: (variable_declarator name: (_) @name) @definition.field
  . ",")

(field_declaration
  ","
  . declarator: (variable_declarator name: (_) @name) @definition.field)

(constant_declaration
  type: (_)
  . declarator: (variable_declarator name: (_) @name value: (_) @value)
  . ";") @definition.constant

(constant_declaration
  declarator: (variable_declarator name: (_) @name) @definition.constant
  . ",")

(constant_declaration
  ","
  . declarator: (variable_declarator name: (_) @name) @definition.constant)

; Modules, and the package where a file is about nothing else

(module_declaration
  name: (_) @name
  body: (module_body) @body) @definition.module

((program (package_declaration [(identifier) (scoped_identifier)] @name) @definition.module .)
 (#set! documented only))

((program
   (package_declaration [(identifier) (scoped_identifier)] @name) @definition.module
   (import_declaration) .)
 (#set! documented only))

; What belongs to the definition around or after it

((field_declaration
   type: (_)
   . declarator: (variable_declarator) @wrapped
   . ",") @wrapper
 (#set! extent head))
((constant_declaration
   type: (_)
   . declarator: (variable_declarator) @wrapped
   . ",") @wrapper
 (#set! extent head))

(modifiers ["public" "protected" "private"] @visibility)
(marker_annotation) @attribute
(annotation) @attribute
(line_comment) @comment
(block_comment) @comment
