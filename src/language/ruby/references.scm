; Inheritance

(superclass
  [
    (constant) @reference.inherit
    (scope_resolution scope: (_)? @receiver name: (constant) @reference.inherit)
  ])
((call
   !receiver
   method: (identifier) @_mix
   arguments: (argument_list
     [
       (constant) @reference.inherit
       (scope_resolution scope: (_)? @receiver name: (constant) @reference.inherit)
     ]))
 (#any-of? @_mix "include" "extend" "prepend"))
((call
   receiver: (constant) @_maker
   method: (identifier) @_make
   arguments: (argument_list
     . [
       (constant) @reference.inherit
       (scope_resolution scope: (_)? @receiver name: (constant) @reference.inherit)
     ]))
 (#eq? @_maker "Class")
 (#eq? @_make "new"))

; Writes of attributes and variables of an object

(assignment
  left: (call receiver: (_) @receiver method: (identifier) @reference.write))
(operator_assignment
  left: (call receiver: (_) @receiver method: (identifier) @reference.write))
(assignment
  left: [(instance_variable) (class_variable)] @reference.write)
(operator_assignment
  left: [(instance_variable) (class_variable)] @reference.write)
(left_assignment_list
  [(instance_variable) (class_variable)] @reference.write)
(left_assignment_list
  (call receiver: (_) @receiver method: (identifier) @reference.write))

; Calls; a name alone is one where it stands as a statement of which more follow

(call
  receiver: (_) @receiver
  method: [(identifier) (constant)] @reference.call)
(call
  !receiver
  method: [(identifier) (constant)] @reference.call)
((body_statement (identifier) @reference.call . (_))
 (#not-any-of? @reference.call "private" "protected" "public" "module_function" "private_class_method"))
(block_body (identifier) @reference.call . (_))
(then (identifier) @reference.call . (_))

; Constants: a class or module, or a value in capitals

((scope_resolution scope: (_) @receiver name: (constant) @reference.type)
 (#match? @reference.type "[a-z]"))
((constant) @reference.type
 (#match? @reference.type "[a-z]"))
(call receiver: (constant) @reference.type)
(scope_resolution scope: (constant) @reference.type)
(scope_resolution scope: (_) @receiver name: (constant) @reference.read)
(constant) @reference.read
