; Embedded types

(field_declaration
  !name
  type: (type_identifier) @reference.inherit)
(field_declaration
  !name
  type: (qualified_type package: (_) @receiver name: (type_identifier) @reference.inherit))
(field_declaration
  !name
  type: (generic_type type: (type_identifier) @reference.inherit))
(field_declaration
  !name
  type: (generic_type
    type: (qualified_type package: (_) @receiver name: (type_identifier) @reference.inherit)))
(interface_type
  (type_elem . (type_identifier) @reference.inherit .))
(interface_type
  (type_elem . (qualified_type package: (_) @receiver name: (type_identifier) @reference.inherit) .))
(interface_type
  (type_elem . (generic_type type: (type_identifier) @reference.inherit) .))

; A variable without a name states what a type implements

((var_spec
   name: (identifier) @_none
   type: (type_identifier) @reference.implement)
 (#eq? @_none "_"))
((var_spec
   name: (identifier) @_none
   type: (qualified_type package: (_) @receiver name: (type_identifier) @reference.implement))
 (#eq? @_none "_"))

; Calls, but for conversions to a type of the language

((call_expression
   function: (identifier) @reference.call)
 (#not-any-of? @reference.call
   "any" "bool" "byte" "comparable" "complex128" "complex64" "error" "float32" "float64" "int" "int16" "int32"
   "int64" "int8" "rune" "string" "uint" "uint16" "uint32" "uint64" "uint8" "uintptr"))
(call_expression
  function: (selector_expression operand: (_) @receiver field: (field_identifier) @reference.call))
(call_expression
  function: (index_expression operand: (identifier) @reference.call))
(call_expression
  function: (index_expression
    operand: (selector_expression operand: (_) @receiver field: (field_identifier) @reference.call)))

; A call with type arguments, which looks the same as a conversion to such a type

(type_conversion_expression
  type: (generic_type type: (type_identifier) @reference.call))
(type_conversion_expression
  type: (generic_type
    type: (qualified_type package: (_) @receiver name: (type_identifier) @reference.call)))

; Conversions to a pointer

(call_expression
  function: (parenthesized_expression (unary_expression "*" operand: (identifier) @reference.type)))
(call_expression
  function: (parenthesized_expression
    (unary_expression "*"
      operand: (selector_expression operand: (_) @receiver field: (field_identifier) @reference.type))))

; Types, but for those of the language

(qualified_type package: (_) @receiver name: (type_identifier) @reference.type)
((type_identifier) @reference.type
 (#not-any-of? @reference.type
   "any" "bool" "byte" "comparable" "complex128" "complex64" "error" "float32" "float64" "int" "int16" "int32"
   "int64" "int8" "rune" "string" "uint" "uint16" "uint32" "uint64" "uint8" "uintptr"))

; Writes of fields

(assignment_statement
  left: (expression_list
    (selector_expression operand: (_) @receiver field: (field_identifier) @reference.write)))
(inc_statement
  (selector_expression operand: (_) @receiver field: (field_identifier) @reference.write))
(dec_statement
  (selector_expression operand: (_) @receiver field: (field_identifier) @reference.write))
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type)] @receiver
  body: (literal_value
    (keyed_element key: (literal_element (identifier) @reference.write))))

; The same in the elements of a list or a map, which leave the type out

(composite_literal
  type: [
    (slice_type element: [
      (type_identifier) @receiver
      (qualified_type) @receiver
      (generic_type) @receiver
      (pointer_type [(type_identifier) (qualified_type) (generic_type)] @receiver)
    ])
    (array_type element: [
      (type_identifier) @receiver
      (qualified_type) @receiver
      (pointer_type [(type_identifier) (qualified_type)] @receiver)
    ])
    (implicit_length_array_type element: [
      (type_identifier) @receiver
      (qualified_type) @receiver
      (pointer_type [(type_identifier) (qualified_type)] @receiver)
    ])
  ]
  body: (literal_value
    [
      (literal_element
        (literal_value (keyed_element key: (literal_element (identifier) @reference.write))))
      (keyed_element
        value: (literal_element
          (literal_value (keyed_element key: (literal_element (identifier) @reference.write)))))
    ]))
(composite_literal
  type: (map_type value: [
    (type_identifier) @receiver
    (qualified_type) @receiver
    (generic_type) @receiver
    (pointer_type [(type_identifier) (qualified_type) (generic_type)] @receiver)
  ])
  body: (literal_value
    (keyed_element
      value: (literal_element
        (literal_value (keyed_element key: (literal_element (identifier) @reference.write)))))))
