; Decorators

(decorator (identifier) @reference.annotation)
(decorator
  (attribute object: (_) @receiver attribute: (identifier) @reference.annotation))
(decorator
  (call function: (identifier) @reference.annotation))
(decorator
  (call
    function: (attribute object: (_) @receiver attribute: (identifier) @reference.annotation)))

; Base classes

(class_definition
  superclasses: (argument_list (identifier) @reference.inherit))
(class_definition
  superclasses: (argument_list
    (attribute object: (_) @receiver attribute: (identifier) @reference.inherit)))
(class_definition
  superclasses: (argument_list
    (subscript value: (identifier) @reference.inherit)))

; Calls

(call function: (identifier) @reference.call)
(call
  function: (attribute object: (_) @receiver attribute: (identifier) @reference.call))

; Types

(type (identifier) @reference.type)
(type (attribute object: (_) @receiver attribute: (identifier) @reference.type))
(type (subscript value: (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))
(generic_type . (identifier) @reference.type)
(except_clause value: (identifier) @reference.type)
(except_clause value: (as_pattern . (identifier) @reference.type))
(except_clause value: (attribute object: (_) @receiver attribute: (identifier) @reference.type))
(except_clause value: (tuple (identifier) @reference.type))
(except_clause value: (as_pattern . (tuple (identifier) @reference.type)))
(raise_statement (identifier) @reference.type
  (#set! case upper))

; Writes of attributes

(assignment
  left: (attribute object: (_) @receiver attribute: (identifier) @reference.write))
(augmented_assignment
  left: (attribute object: (_) @receiver attribute: (identifier) @reference.write))
