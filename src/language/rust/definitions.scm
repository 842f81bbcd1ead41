; Items

(function_item
  name: (identifier) @name
  body: (block) @body) @definition.function

(function_signature_item
  name: (identifier) @name) @definition.function

(struct_item
  name: (type_identifier) @name
  body: (field_declaration_list) @body) @definition.struct

(struct_item
  name: (type_identifier) @name) @definition.struct

(union_item
  name: (type_identifier) @name
  body: (_) @body) @definition.union

(enum_item
  name: (type_identifier) @name
  body: (_) @body) @definition.enum

(enum_variant
  name: (identifier) @name) @definition.field

(field_declaration
  name: (field_identifier) @name) @definition.field

(trait_item
  name: (type_identifier) @name
  body: (_) @body) @definition.trait

(mod_item
  name: (identifier) @name
  body: (_) @body) @definition.module

(foreign_mod_item
  (extern_modifier) @name
  body: (_) @body) @definition.module

(macro_definition
  name: (identifier) @name
  . (macro_rule) @body) @definition.macro

(macro_definition
  name: (identifier) @name) @definition.macro

(const_item
  name: (identifier) @name
  value: (_) @value) @definition.constant

(const_item
  name: (identifier) @name) @definition.constant

(static_item
  name: (identifier) @name
  value: (_) @value) @definition.constant

(static_item
  name: (identifier) @name) @definition.constant

(type_item
  name: (type_identifier) @name
  type: (_) @value) @definition.type

(associated_type
  name: (type_identifier) @name) @definition.type

; Implementations: the name is the type, the title says what is implemented

((impl_item
   "!"
   trait: (_) @part.trait
   type: (_) @name
   body: (_) @body) @definition.impl
 (#set! title "impl !{trait} for {name}")
 (#set! narrow type))

((impl_item
   trait: (_) @part.trait
   type: (_) @name
   body: (_) @body) @definition.impl
 (#set! title "impl {trait} for {name}")
 (#set! narrow type))

((impl_item
   type: (_) @name
   body: (_) @body) @definition.impl
 (#set! title "impl {name}")
 (#set! narrow type))

; What belongs to the item around or after it

(visibility_modifier) @visibility
(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment

; Macro bodies that are code; inner ones where the outer is not

(macro_invocation (token_tree . "{") @inject
 (#set! inside brackets))
(token_tree (token_tree . "{") @inject
 (#set! inside brackets))
