//! Names that say credentials: such a file is listed and never opened.
//!
//! Only files that *are* a credential are left out. Where a file is useful and its
//! secrets stand in known places (`.npmrc`, `.envrc`, `settings.py`, `id_rsa.pub`,
//! `prod.env`), it is read and redacted instead, because a dropped file is lost to
//! search and a redacted one is not.

/// Whole names, in lower case.
const NAMES: &[&str] = &[
    ".dockercfg",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".netrc",
    ".pgpass",
    ".s3cfg",
    ".vault-token",
    "_netrc",
    "application_default_credentials.json",
    "client_secret.json",
    "credentials.json",
    "credentials.yaml",
    "credentials.yml",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "id_xmss",
    "kubeconfig",
    "master.key",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
    "service_account.json",
    "terraform.tfstate",
    "terraform.tfstate.backup",
];

/// Extensions of keys, key stores and certificates in one file with their key.
const EXTENSIONS: &[&str] = &[
    "asc", "der", "gpg", "jceks", "jks", "kdb", "kdbx", "key", "keystore", "ovpn", "p12", "p8", "pem", "pfx", "pkcs12",
    "ppk",
];

/// Endings of an `.env.…` that holds examples.
const EXAMPLES: &[&str] = &[".example", ".sample", ".template", ".dist", ".defaults", ".schema"];

/// Whether a base name says that the file is a credential; letter case does not matter.
///
/// Sensitive are the names of key and credential files of well-known programs, the
/// extensions of key files, `.env` and `.env.*` but for examples. A name that is only
/// an extension (`.key`) has none and is read.
pub fn is_sensitive_name(file_name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(file_name).map(str::to_ascii_lowercase) else {
        return is_sensitive_name(&ascii_of(file_name));
    };
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    NAMES.contains(&name.as_str())
        || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        || is_env(&name)
}

fn is_env(name: &str) -> bool {
    name == ".env" || name.starts_with(".env.") && !EXAMPLES.iter().any(|ending| name.ends_with(ending))
}

/// A name that is not UTF-8, with `?` for each foreign byte.
fn ascii_of(name: &[u8]) -> Vec<u8> {
    name.iter().map(|&byte| if byte.is_ascii() { byte } else { b'?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_left_out() {
        for name in [
            "credentials.json",
            "SECRETS.yml",
            ".netrc",
            ".pgpass",
            ".htpasswd",
            "kubeconfig",
            "id_rsa",
            "ID_ED25519",
            "server.pem",
            "tls.KEY",
            "a.b.p12",
            ".env",
            ".env.production",
            ".ENV.local",
            "terraform.tfstate",
        ] {
            assert!(is_sensitive_name(name.as_bytes()), "{name}");
        }
        assert!(is_sensitive_name(b"caf\xe9.pem"));
    }

    #[test]
    fn the_rest_is_read() {
        for name in [
            "id_rsa.pub",
            ".env.example",
            ".env.sample",
            ".env.template",
            ".env.dist",
            ".envrc",
            "x.env",
            ".npmrc",
            ".pem",
            ".key",
            "secrets.toml",
            "keys.rs",
            "environment.ts",
            "pem",
            "secrets.py",
        ] {
            assert!(!is_sensitive_name(name.as_bytes()), "{name}");
        }
        assert!(!is_sensitive_name(b"caf\xe9.txt"));
        assert!(!is_sensitive_name(b""));
    }
}
