; Inheritance

(extends_clause
  value: (identifier) @reference.inherit)
(extends_clause
  value: (member_expression object: (_) @receiver property: (_) @reference.inherit))
(extends_type_clause
  type: (type_identifier) @reference.inherit)
(extends_type_clause
  type: (generic_type name: (type_identifier) @reference.inherit))
(extends_type_clause
  type: (nested_type_identifier module: (_) @receiver name: (_) @reference.inherit))
(implements_clause
  (type_identifier) @reference.implement)
(implements_clause
  (generic_type name: (type_identifier) @reference.implement))
(implements_clause
  (nested_type_identifier module: (_) @receiver name: (_) @reference.implement))

; Types

(type_query (identifier) @reference.type)
(type_parameter name: (type_identifier) @ignore)
(nested_type_identifier module: (_) @receiver name: (type_identifier) @reference.type)
(type_identifier) @reference.type
