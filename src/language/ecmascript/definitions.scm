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

; Functions and components that a call wraps

((variable_declarator
   name: (identifier) @name
   value: (call_expression
     function: (_) @_wrap
     arguments: (arguments [
       (arrow_function body: (_) @body)
       (function_expression body: (_) @body)
     ]))) @definition.function
 (#match? @_wrap "^([a-zA-Z_$]+\\.)?(action|cache|debounce|dual|forwardRef|memo|memoize|observer|once|throttle|useCallback)$"))

((variable_declarator
   name: (identifier) @name
   value: (call_expression
     function: (_) @_wrap
     arguments: (arguments
       . (call_expression
         arguments: (arguments
           . [
             (arrow_function body: (_) @body)
             (function_expression body: (_) @body)
           ]))))) @definition.function
 (#match? @_wrap "^([a-zA-Z_$]+\\.)?(forwardRef|memo|observer)$"))

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

; Variables that a pattern takes apart

((export_statement
   declaration: (lexical_declaration
     kind: "const"
     (variable_declarator
       name: [
         (object_pattern [
           (shorthand_property_identifier_pattern) @name @definition.constant
           (pair_pattern value: (identifier) @name @definition.constant)
           (object_assignment_pattern
             left: (shorthand_property_identifier_pattern) @name @definition.constant)
           (rest_pattern (identifier) @name @definition.constant)
         ])
         (array_pattern [
           (identifier) @name @definition.constant
           (assignment_pattern left: (identifier) @name @definition.constant)
           (rest_pattern (identifier) @name @definition.constant)
         ])
       ])))
 (#set! local drop)
 (#set! visibility "export"))

((lexical_declaration
   kind: "const"
   (variable_declarator
     name: [
       (object_pattern [
         (shorthand_property_identifier_pattern) @name @definition.constant
         (pair_pattern value: (identifier) @name @definition.constant)
         (object_assignment_pattern
           left: (shorthand_property_identifier_pattern) @name @definition.constant)
         (rest_pattern (identifier) @name @definition.constant)
       ])
       (array_pattern [
         (identifier) @name @definition.constant
         (assignment_pattern left: (identifier) @name @definition.constant)
         (rest_pattern (identifier) @name @definition.constant)
       ])
     ]))
 (#set! local drop))

((variable_declarator
   name: [
     (object_pattern [
       (shorthand_property_identifier_pattern) @name @definition.variable
       (pair_pattern value: (identifier) @name @definition.variable)
       (object_assignment_pattern
         left: (shorthand_property_identifier_pattern) @name @definition.variable)
       (rest_pattern (identifier) @name @definition.variable)
     ])
     (array_pattern [
       (identifier) @name @definition.variable
       (assignment_pattern left: (identifier) @name @definition.variable)
       (rest_pattern (identifier) @name @definition.variable)
     ])
   ])
 (#set! local drop))

; Exports without a name of their own

(export_statement
  "default" @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
    (call_expression
      arguments: (arguments
        . [
          (arrow_function body: (_) @body)
          (function_expression body: (_) @body)
        ]))
  ]) @definition.function

(export_statement
  "default" @name
  value: (class body: (_) @body)) @definition.class

((export_statement
   "default" @name
   value: (_) @value) @definition.constant
 (#not-match? @value "^[A-Za-z_$][A-Za-z0-9_$]*$"))

; Assignments to members

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
    left: (member_expression object: (_) @_module property: (_) @name)
    right: [
      (array) (call_expression) (new_expression) (number) (object) (regex) (string) (template_string)
    ] @value)) @definition.constant
  (#any-of? @_module "module" "exports" "module.exports")
  (#not-match? @value "^_*(require|import|export)")
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

; Test cases: `it("…", …)`, `it.only("…", …)`, `it.each(…)("…", …)`, `t.test("…", …)`

((expression_statement
  (call_expression
    function: (_) @_test
    arguments: (arguments
      . [(string) (template_string)] @name
      [
        (arrow_function body: (_) @body)
        (function_expression body: (_) @body)
        (call_expression) @body
      ]))) @definition.test
  (#match? @_test "^(test|it|describe|suite|context|specify)([.(]|$)|^[a-zA-Z_$]+\\.(test|it|describe)$"))

((expression_statement
  (await_expression
    (call_expression
      function: (_) @_test
      arguments: (arguments
        . [(string) (template_string)] @name
        [
          (arrow_function body: (_) @body)
          (function_expression body: (_) @body)
        ])))) @definition.test
  (#match? @_test "^(test|it|describe)$|^[a-zA-Z_$]+\\.(test|it|describe)$"))

; What adds to a definition

(lexical_declaration . (variable_declarator) @wrapped .) @wrapper
(variable_declaration . (variable_declarator) @wrapped .) @wrapper
((export_statement declaration: (_) @wrapped) @wrapper
 (#set! visibility "export"))

(decorator) @attribute
((comment) @documentation
 (#match? @documentation "^/[*][*]"))
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

; Functions around a whole module

((call_expression
   function: [
     (function_expression) @module
     (parenthesized_expression (function_expression) @module)
     (member_expression
       object: [
         (function_expression) @module
         (parenthesized_expression (function_expression) @module)
       ])
   ])
 (#not-match? @module "^async"))
(call_expression
  function: [(function_expression) (parenthesized_expression)]
  arguments: (arguments [
    (function_expression) @module
    (parenthesized_expression (function_expression) @module)
  ]))
((call_expression
   function: (identifier) @_define
   arguments: (arguments (function_expression) @module))
 (#any-of? @_define "define" "jQuery" "$"))
