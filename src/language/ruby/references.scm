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

; Methods that are named and not called; a symbol that stands for a block is called

(alias alias: (_) @reference.read)
(block_argument (simple_symbol) @reference.call)
((call
   !receiver
   method: (identifier) @_alias
   arguments: (argument_list . (_) . (simple_symbol) @reference.read .))
 (#eq? @_alias "alias_method"))
((call
   method: (identifier) @_send
   arguments: (argument_list . (simple_symbol) @reference.call))
 (#any-of? @_send "__send__" "public_send" "send"))
((call
   method: (identifier) @_method
   arguments: (argument_list . (simple_symbol) @reference.read .))
 (#any-of? @_method "instance_method" "method" "public_method"))
((call
   !receiver
   method: (identifier) @_hook
   arguments: (argument_list (simple_symbol) @reference.call))
 (#match? @_hook "^((skip|prepend|append)_)?(before|after|around)_[a-z_]+$|^validate$"))
((call
   !receiver
   method: (identifier) @_named
   arguments: (argument_list (simple_symbol) @reference.read))
 (#any-of? @_named
   "helper_method" "module_function" "private" "private_class_method" "private_constant" "protected" "public"
   "public_class_method"))

; Constants: a class or module, or a value in capitals

((scope_resolution scope: (_) @receiver name: (constant) @reference.type)
 (#match? @reference.type "[a-z]"))
((constant) @reference.type
 (#match? @reference.type "[a-z]"))
(call receiver: (constant) @reference.type)
(scope_resolution scope: (constant) @reference.type)
(scope_resolution scope: (_) @receiver name: (constant) @reference.read)
(constant) @reference.read
