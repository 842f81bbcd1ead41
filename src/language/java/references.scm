; Annotations

(marker_annotation name: (identifier) @reference.annotation)
(marker_annotation
  name: (scoped_identifier scope: (_) @receiver name: (identifier) @reference.annotation))
(annotation name: (identifier) @reference.annotation)
(annotation
  name: (scoped_identifier scope: (_) @receiver name: (identifier) @reference.annotation))

; Inheritance

(superclass (type_identifier) @reference.inherit)
(superclass (generic_type . (type_identifier) @reference.inherit))
(superclass (scoped_type_identifier (_) @receiver . (type_identifier) @reference.inherit .))
(superclass
  (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @reference.inherit .)))
(super_interfaces (type_list (type_identifier) @reference.implement))
(super_interfaces (type_list (generic_type . (type_identifier) @reference.implement)))
(super_interfaces
  (type_list (scoped_type_identifier (_) @receiver . (type_identifier) @reference.implement .)))
(super_interfaces
  (type_list
    (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @reference.implement .))))
(extends_interfaces (type_list (type_identifier) @reference.inherit))
(extends_interfaces (type_list (generic_type . (type_identifier) @reference.inherit)))
(extends_interfaces
  (type_list (scoped_type_identifier (_) @receiver . (type_identifier) @reference.inherit .)))
(extends_interfaces
  (type_list
    (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @reference.inherit .))))

; Calls

(method_invocation
  !object
  name: (identifier) @reference.call)
(method_invocation
  object: (_) @receiver
  name: (identifier) @reference.call)
(object_creation_expression type: (type_identifier) @reference.call)
(object_creation_expression type: (generic_type . (type_identifier) @reference.call))
(object_creation_expression
  type: (scoped_type_identifier (_) @receiver . (type_identifier) @reference.call .))
(object_creation_expression
  type: (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @reference.call .)))
(method_reference . (_) @receiver "::" (identifier) @reference.call .)
(method_reference . (identifier) @reference.call "::" "new")
(method_reference . (type_identifier) @reference.call "::" "new")
(method_reference . (generic_type . (type_identifier) @reference.call) "::" "new")

; Types, but not the packages they are in

((scoped_type_identifier . (type_identifier) @ignore)
 (#match? @ignore "^[a-z]"))
((scoped_type_identifier . (scoped_type_identifier (type_identifier) @ignore .))
 (#match? @ignore "^[a-z]"))
(type_parameter (type_identifier) @ignore)
(scoped_type_identifier (_) @receiver . (type_identifier) @reference.type .)
((type_identifier) @reference.type
 (#not-eq? @reference.type "var"))
((method_invocation object: (identifier) @reference.type)
 (#match? @reference.type "^[A-Z]\\w*[a-z]"))
((field_access object: (identifier) @reference.type)
 (#match? @reference.type "^[A-Z]\\w*[a-z]"))
((method_reference . (identifier) @reference.type)
 (#match? @reference.type "^[A-Z]\\w*[a-z]"))

; Services of a module

(uses_module_directive
  type: (scoped_identifier scope: (_) @receiver name: (identifier) @reference.type))
(provides_module_directive
  provided: (scoped_identifier scope: (_) @receiver name: (identifier) @reference.implement))
(provides_module_directive
  provider: (scoped_identifier scope: (_) @receiver name: (identifier) @reference.type))
(provides_module_directive
  (scoped_identifier scope: (_) @receiver name: (identifier) @reference.type))

; Writes of fields

(assignment_expression
  left: (field_access object: (_) @receiver field: (identifier) @reference.write))
(update_expression
  (field_access object: (_) @receiver field: (identifier) @reference.write))
