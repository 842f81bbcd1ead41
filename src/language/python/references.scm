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
(class_definition
  superclasses: (argument_list
    (subscript
      value: (attribute object: (_) @receiver attribute: (identifier) @reference.inherit))))
(class_definition
  superclasses: (argument_list (subscript subscript: (identifier) @reference.type)))
((class_definition
   superclasses: (argument_list
     (keyword_argument
       name: (identifier) @_key
       value: [
         (identifier) @reference.type
         (attribute object: (_) @receiver attribute: (identifier) @reference.type)
       ])))
 (#eq? @_key "metaclass"))

; Calls

(call function: (identifier) @reference.call)
(call
  function: (attribute object: (_) @receiver attribute: (identifier) @reference.call))

; Types

(type (identifier) @reference.type)
(type (attribute object: (_) @receiver attribute: (identifier) @reference.type))
(type (subscript value: (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))
(type (binary_operator (binary_operator (identifier) @reference.type)))
(type (binary_operator (binary_operator (binary_operator (identifier) @reference.type))))
(type
  (binary_operator
    (attribute object: (_) @receiver attribute: (identifier) @reference.type)))
(type
  (binary_operator
    (binary_operator
      (attribute object: (_) @receiver attribute: (identifier) @reference.type))))
(type (binary_operator (subscript value: (identifier) @reference.type)))
(generic_type . (identifier) @reference.type)
(except_clause value: (identifier) @reference.type)
(except_clause value: (as_pattern . (identifier) @reference.type))
(except_clause value: (attribute object: (_) @receiver attribute: (identifier) @reference.type))
(except_clause value: (tuple (identifier) @reference.type))
(except_clause
  value: (as_pattern
    . (attribute object: (_) @receiver attribute: (identifier) @reference.type)))
(except_clause value: (as_pattern . (tuple (identifier) @reference.type)))
(except_clause
  value: (tuple (attribute object: (_) @receiver attribute: (identifier) @reference.type)))
(except_clause
  value: (as_pattern
    . (tuple (attribute object: (_) @receiver attribute: (identifier) @reference.type))))
(raise_statement (identifier) @reference.type
  (#set! case upper))
(raise_statement (attribute object: (_) @receiver attribute: (identifier) @reference.type)
  (#set! case upper))
(class_pattern (dotted_name (identifier) @reference.type .))

; Writes of attributes

(assignment
  left: (attribute object: (_) @receiver attribute: (identifier) @reference.write))
(assignment
  left: [
    (pattern_list
      (attribute object: (_) @receiver attribute: (identifier) @reference.write))
    (tuple_pattern
      (attribute object: (_) @receiver attribute: (identifier) @reference.write))
  ])
(augmented_assignment
  left: (attribute object: (_) @receiver attribute: (identifier) @reference.write))
