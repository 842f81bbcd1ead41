; Components

(jsx_opening_element
  name: (identifier) @reference.call
  (#set! case upper))
(jsx_self_closing_element
  name: (identifier) @reference.call
  (#set! case upper))
(jsx_opening_element
  name: (member_expression object: (_) @receiver property: (_) @reference.call))
(jsx_self_closing_element
  name: (member_expression object: (_) @receiver property: (_) @reference.call))
