; Functions and classes

(function_declaration
  name: (identifier) @name
  body: (statement_block) @body) @definition.function

(generator_function_declaration
  name: (identifier) @name
  body: (statement_block) @body) @definition.function

(class_declaration
  name: (_) @name
  body: (class_body) @body) @definition.class

(method_definition
  name: (_) @name
  body: (statement_block) @body) @definition.method

; Functions and classes that a variable holds

(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function

(variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body)) @definition.class

; Other variables of a module

((lexical_declaration
   kind: "const"
   (variable_declarator
     name: (identifier) @name
     value: (_) @value) @definition.constant)
 (#set! local drop))

((variable_declarator
   name: (identifier) @name
   value: (_) @value) @definition.variable
 (#set! local drop))

((variable_declarator
   name: (identifier) @name) @definition.variable
 (#set! local drop))

; Exports without a name of their own, and assignments to members

(export_statement
  "default" @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function

(export_statement
  "default" @name
  value: (class body: (_) @body)) @definition.class

(export_statement
  "default" @name
  value: (object) @value) @definition.constant

(expression_statement
  (assignment_expression
    left: (member_expression property: (_) @name)
    right: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function

(expression_statement
  (assignment_expression
    left: (member_expression property: (_) @name)
    right: (class body: (_) @body))) @definition.class

((expression_statement
  (assignment_expression
    left: (member_expression object: (identifier) @_module property: (_) @name)
    right: (object) @value)) @definition.constant
  (#any-of? @_module "module" "exports")
  (#set! local drop))

; Functions that an object holds

((pair
   key: (_) @name
   value: [
     (arrow_function body: (_) @body)
     (function_expression body: (_) @body)
     (generator_function body: (_) @body)
   ]) @definition.method
 (#set! local drop))

; Test cases

((expression_statement
  (call_expression
    function: (identifier) @_test
    arguments: (arguments
      . (string (string_fragment) @name)
      [
        (arrow_function body: (statement_block) @body)
        (function_expression body: (_) @body)
      ]))) @definition.test
  (#any-of? @_test "test" "it" "describe" "suite" "context" "specify"))

; What adds to a definition

(lexical_declaration . (variable_declarator) @wrapped .) @wrapper
(variable_declaration . (variable_declarator) @wrapped .) @wrapper
((export_statement declaration: (_) @wrapped) @wrapper
 (#set! visibility "export"))

(decorator) @attribute
(comment) @comment
(arrow_function) @scope
(function_expression) @scope
(generator_function) @scope
(class_static_block) @scope

; Tagged strings, where the tag names a language

(call_expression
  function: (identifier) @inject.language
  arguments: (template_string) @inject
  (#set! inside brackets))
