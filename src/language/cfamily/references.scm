; What C and C++ mention alike

; Attributes

(attribute
  prefix: (_) @receiver
  name: (identifier) @reference.annotation)
(attribute
  name: (identifier) @reference.annotation)
(attribute_specifier
  (argument_list
    [
      (identifier) @reference.annotation
      (call_expression function: (identifier) @reference.annotation)
    ]))

; Calls

(call_expression
  function: (identifier) @reference.call)
(call_expression
  function: (field_expression
    argument: (_) @receiver
    field: (field_identifier) @reference.call))

; Writes of fields

(assignment_expression
  left: (field_expression
    argument: (_) @receiver
    field: (field_identifier) @reference.write))
(assignment_expression
  left: (subscript_expression
    argument: (field_expression
      argument: (_) @receiver
      field: (field_identifier) @reference.write)))
(update_expression
  argument: (field_expression
    argument: (_) @receiver
    field: (field_identifier) @reference.write))
(initializer_pair
  designator: (field_designator (field_identifier) @reference.write))

; Names in tables

(initializer_pair
  value: [
    (identifier) @reference.read
    (pointer_expression argument: (identifier) @reference.read)
    (cast_expression value: (identifier) @reference.read)
  ])
(initializer_list
  (pointer_expression argument: (identifier) @reference.read))
