//! From bytes to text.
