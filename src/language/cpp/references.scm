; Base classes

(base_class_clause
  [
    (type_identifier) @reference.inherit
    (template_type name: (type_identifier) @reference.inherit)
  ])
(base_class_clause
  (qualified_identifier
    name: [
      (type_identifier) @reference.inherit
      (template_type name: (type_identifier) @reference.inherit)
      (qualified_identifier
        name: [
          (type_identifier) @reference.inherit
          (template_type name: (type_identifier) @reference.inherit)
          (qualified_identifier
            name: [
              (type_identifier) @reference.inherit
              (template_type name: (type_identifier) @reference.inherit)
            ])
        ])
    ]) @receiver)

; Calls

(call_expression
  function: (template_function name: (identifier) @reference.call)
  (#not-any-of? @reference.call "static_cast" "dynamic_cast" "const_cast" "reinterpret_cast"))
((template_function name: (identifier) @ignore)
  (#any-of? @ignore "static_cast" "dynamic_cast" "const_cast" "reinterpret_cast"))
(call_expression
  function: (field_expression
    argument: (_) @receiver
    field: (template_method name: (field_identifier) @reference.call)))
(call_expression
  function: (qualified_identifier
    name: [
      (identifier) @reference.call
      (template_function name: (identifier) @reference.call)
      (qualified_identifier
        name: [
          (identifier) @reference.call
          (template_function name: (identifier) @reference.call)
          (qualified_identifier
            name: [
              (identifier) @reference.call
              (template_function name: (identifier) @reference.call)
              (qualified_identifier
                name: [
                  (identifier) @reference.call
                  (template_function name: (identifier) @reference.call)
                ])
            ])
        ])
    ]) @receiver)
(new_expression
  type: [
    (type_identifier) @reference.call
    (template_type name: (type_identifier) @reference.call)
  ])
(new_expression
  type: (qualified_identifier
    name: [
      (type_identifier) @reference.call
      (template_type name: (type_identifier) @reference.call)
      (qualified_identifier
        name: [
          (type_identifier) @reference.call
          (template_type name: (type_identifier) @reference.call)
        ])
    ]) @receiver)
(compound_literal_expression
  type: [
    (type_identifier) @reference.call
    (template_type name: (type_identifier) @reference.call)
  ])
(compound_literal_expression
  type: (qualified_identifier
    name: [
      (type_identifier) @reference.call
      (template_type name: (type_identifier) @reference.call)
    ]) @receiver)
(field_initializer
  . (template_method name: (field_identifier) @reference.call))
(field_initializer
  . (field_identifier) @reference.write)

; Types

(qualified_identifier
  scope: (_) @receiver
  name: [
    (type_identifier) @reference.type
    (template_type name: (type_identifier) @reference.type)
  ])
(type_identifier) @reference.type
(qualified_identifier
  scope: (namespace_identifier) @reference.type
  (#set! case upper))
