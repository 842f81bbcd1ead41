; Classes, functions, and names bound at module and class level.

(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class

(function_definition
  name: (identifier) @name
  body: (block) @body) @definition.function

(type_alias_statement
  left: (type . (identifier) @name)
  right: (_) @value) @definition.type

(type_alias_statement
  left: (type (generic_type . (identifier) @name))
  right: (_) @value) @definition.type

((assignment
   left: (identifier) @name
   right: (_) @value) @definition.variable
 (#set! local drop))

((assignment
   left: (identifier) @name) @definition.variable
 (#set! local drop))

((assignment
   left: [
     (pattern_list (identifier) @name @definition.variable)
     (tuple_pattern (identifier) @name @definition.variable)
   ])
 (#set! local drop))

(decorated_definition
  definition: (_) @wrapped) @wrapper

(decorator) @attribute
(comment) @comment
(expression_statement . (string) @docstring .)
(lambda) @scope
