; Decorators

(decorator (identifier) @reference.annotation)
(decorator
  (member_expression object: (_) @receiver property: (_) @reference.annotation))
(decorator
  (call_expression function: (identifier) @reference.annotation))
(decorator
  (call_expression
    function: (member_expression object: (_) @receiver property: (_) @reference.annotation)))

; Calls

(call_expression
  function: (identifier) @reference.call)
(call_expression
  function: (member_expression object: (_) @receiver property: (_) @reference.call))
(new_expression
  constructor: (identifier) @reference.call)
(new_expression
  constructor: (member_expression object: (_) @receiver property: (_) @reference.call))

; Writes of members

(assignment_expression
  left: (member_expression object: (_) @receiver property: (_) @reference.write))
(augmented_assignment_expression
  left: (member_expression object: (_) @receiver property: (_) @reference.write))
