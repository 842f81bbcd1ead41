//! A server for git over HTTP on this machine that lets in who holds a token.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Serves the repositories below a directory for as long as the test process lives.
pub struct HttpForge {
    port: u16,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Requests that were let in.
    admitted: AtomicUsize,
    /// What was wrong with a request that held the token.
    faults: Mutex<Vec<String>>,
}

struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl HttpForge {
    /// Starts to serve `root` to requests whose `Authorization` is exactly `authorization`.
    pub fn start(root: &Path, authorization: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen::default());
        let (root, authorization) = (root.canonicalize().unwrap(), authorization.to_owned());
        let shared = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (root, authorization, seen) = (root.clone(), authorization.clone(), shared.clone());
                thread::spawn(move || serve(stream, &root, &authorization, &seen));
            }
        });
        Self { port, seen }
    }

    /// The URL of a path below the root.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// The URL of a path below the root, with a user and a password in it.
    pub fn url_for(&self, user: &str, password: &str, path: &str) -> String {
        format!("http://{user}:{password}@127.0.0.1:{}/{path}", self.port)
    }

    /// How many requests were let in.
    pub fn admitted(&self) -> usize {
        self.seen.admitted.load(Ordering::Relaxed)
    }

    /// What was wrong with requests that held the token.
    pub fn faults(&self) -> Vec<String> {
        self.seen.faults.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, root: &Path, authorization: &str, seen: &Seen) {
    let Some(request) = read(&mut stream) else { return };
    let given: Vec<&str> = request.all("authorization").collect();
    if given.len() > 1 {
        seen.faults.lock().unwrap().push(format!("{} authorizations for {}", given.len(), request.target));
    }
    let answer = if given.first() == Some(&authorization) {
        seen.admitted.fetch_add(1, Ordering::Relaxed);
        backend(&request, root)
    } else {
        b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"git\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()
    };
    // A client that is gone needs no answer.
    stream.write_all(&answer).ok();
}

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request { method, target, headers, body: Vec::new() };
    if request.first("expect").is_some() {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
    }
    request.body = body(&request, &mut reader)?;
    Some(request)
}

fn body(request: &Request, reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    if request.first("transfer-encoding").is_none() {
        let length = request.first("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        reader.take(length).read_to_end(&mut body).ok()?;
        return Some(body);
    }
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let size = u64::from_str_radix(line.trim(), 16).ok()?;
        reader.take(size).read_to_end(&mut body).ok()?;
        reader.read_line(&mut String::new()).ok()?;
        if size == 0 {
            return Some(body);
        }
    }
}

/// Answers through git's own program for it.
fn backend(request: &Request, root: &Path) -> Vec<u8> {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let mut command = Command::new("git");
    command.arg("http-backend").env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    for (name, value) in [
        ("PATH", std::env::var_os("PATH").unwrap_or_default()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_PROJECT_ROOT", root.into()),
        ("GIT_HTTP_EXPORT_ALL", "1".into()),
        ("REMOTE_USER", "user".into()),
        ("REMOTE_ADDR", "127.0.0.1".into()),
        ("REQUEST_METHOD", request.method.as_str().into()),
        ("PATH_INFO", path.into()),
        ("QUERY_STRING", query.into()),
        ("CONTENT_TYPE", request.first("content-type").unwrap_or_default().into()),
        ("CONTENT_LENGTH", request.body.len().to_string().into()),
        ("HTTP_CONTENT_ENCODING", request.first("content-encoding").unwrap_or_default().into()),
        ("GIT_PROTOCOL", request.first("git-protocol").unwrap_or_default().into()),
    ] {
        command.env(name, value);
    }
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let body = request.body.clone();
    let feeder = thread::spawn(move || stdin.write_all(&body));
    let output = child.wait_with_output().unwrap().stdout;
    // It need not read all of a request that it refuses.
    feeder.join().unwrap().ok();
    let end = output.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or(output.len().saturating_sub(4)) + 4;
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let length = output.len() - end;
    let mut answer =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{head}").into_bytes();
    answer.extend_from_slice(&output[end..]);
    answer
}

impl Request {
    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn first<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }
}

/// Where a program is found on the path.
pub fn on_path(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|file| file.exists()).unwrap()
}
