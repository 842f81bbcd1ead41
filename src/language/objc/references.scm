; What a class is made of (the grammar calls the class of an alias `alias`); what stands in angle
; brackets behind it is a protocol

(class_interface
  superclass: (identifier) @reference.inherit)
(class_interface
  superclass: (_)
  . (parameterized_arguments (type_name (type_identifier) @reference.implement)))
(class_interface
  ")" . (parameterized_arguments (type_name (type_identifier) @reference.implement)))
(class_implementation
  superclass: (identifier) @reference.inherit)
(protocol_declaration
  (protocol_reference_list (identifier) @reference.inherit))
(compatibility_alias_declaration
  alias: (identifier) @reference.type)

; Messages; a class that receives one is a type

(message_expression
  receiver: (_) @receiver
  . method: (identifier) @reference.call)
((message_expression
   receiver: (identifier) @reference.type)
 (#set! case upper))
(selector_expression
  (identifier) @reference.read)

; Types

(protocol_reference_list (identifier) @reference.type)
((type_identifier) @ignore
 (#any-of? @ignore "instancetype" "nonnull" "null_unspecified"))
(parameterized_arguments
  ["__covariant" "__contravariant"]
  . (type_identifier) @ignore)
(type_identifier) @reference.type
(macro_type_specifier
  name: (identifier) @reference.call)
