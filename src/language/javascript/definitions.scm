(field_definition
  property: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method
(field_definition
  property: (_) @name
  value: (_) @value) @definition.field
(field_definition
  property: (_) @name) @definition.field
