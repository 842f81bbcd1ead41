//! Names that say credentials.

/// Whether a path names a file that is never opened.
pub fn is_sensitive_name(path: &[u8]) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    matches!(name, b".env" | b"id_rsa" | b"id_ed25519")
}
