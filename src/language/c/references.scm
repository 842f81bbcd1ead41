(type_identifier) @reference.type
(macro_type_specifier
  name: (identifier) @reference.call)
(initializer_list
  [
    (identifier) @reference.read
    (cast_expression value: (identifier) @reference.read)
  ])
