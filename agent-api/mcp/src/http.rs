//! Streamable HTTP, on the loopback interface alone and behind a token.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::server::Server;

/// Most connections at once; more wait.
const MAX_CONNECTIONS: usize = 64;
/// Most bytes of one request.
const MAX_BODY: usize = 64 << 20;

/// Where and for whom to listen.
#[derive(Clone)]
pub struct HttpSettings {
    /// Port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// What a client must send as `Authorization: Bearer <token>`.
    pub token: String,
}

impl std::fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpSettings").field("port", &self.port).finish_non_exhaustive()
    }
}

/// A server that listens; it ends when this is dropped or stopped.
#[derive(Debug)]
pub struct Listening {
    address: SocketAddr,
    stop: CancellationToken,
    accepting: tokio::task::JoinHandle<()>,
}

impl Listening {
    /// Where the endpoint is.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Ends it.
    pub async fn stop(self) {
        self.stop.cancel();
        let _ = self.accepting.await;
    }
}

type Body = UnsyncBoxBody<Bytes, Infallible>;

fn refusal(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed_unsync());
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        let challenge = http::HeaderValue::from_static("Bearer realm=\"cellwright\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// Compares without telling by time where the difference is.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

fn allowed<B>(request: &Request<B>, token: &str) -> bool {
    let given = request.headers().get(header::AUTHORIZATION).map(http::HeaderValue::as_bytes);
    given
        .and_then(|given| {
            let (scheme, rest) = given.split_at_checked(7)?;
            scheme.eq_ignore_ascii_case(b"bearer ").then_some(rest)
        })
        .is_some_and(|given| same(given.trim_ascii(), token.as_bytes()))
}

/// Listens.
///
/// # Errors
/// When the port cannot be had, or the token is too short to keep anybody out.
pub async fn listen(server: Server, settings: HttpSettings) -> Result<Listening, String> {
    if settings.token.len() < 16 {
        return Err("the token is shorter than 16 characters".to_owned());
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))
        .await
        .map_err(|error| format!("127.0.0.1:{}: {error}", settings.port))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let stop = CancellationToken::new();
    let mut config = StreamableHttpServerConfig::default();
    config.cancellation_token = stop.child_token();
    config.max_request_body_bytes = MAX_BODY;
    // A page in a browser must not reach it, whatever name it resolved to this address.
    let config = config.enforce_origin_validation();
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let token: Arc<str> = settings.token.into();
    let (stopping, places) = (stop.clone(), Arc::new(Semaphore::new(MAX_CONNECTIONS)));
    let accepting = tokio::spawn(async move {
        loop {
            let Ok(place) = places.clone().acquire_owned().await else { return };
            let stream = tokio::select! {
                () = stopping.cancelled() => return,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    // Out of descriptors, say: later there may be some.
                    Err(_) => {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                        continue;
                    }
                },
            };
            let (service, token, stopping) = (service.clone(), token.clone(), stopping.clone());
            tokio::spawn(async move {
                let handle = hyper::service::service_fn(move |request: Request<Incoming>| {
                    let (service, token) = (service.clone(), token.clone());
                    async move {
                        if !allowed(&request, &token) {
                            let text = "send the token as `Authorization: Bearer <token>`\n";
                            return Ok::<_, Infallible>(refusal(StatusCode::UNAUTHORIZED, text));
                        }
                        if request.uri().path() != "/mcp" {
                            return Ok(refusal(StatusCode::NOT_FOUND, "the endpoint is /mcp\n"));
                        }
                        Ok(service.handle(request).await.map(BodyExt::boxed_unsync))
                    }
                });
                let connection = hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(Duration::from_secs(10))
                    .serve_connection(TokioIo::new(stream), handle);
                tokio::select! {
                    _ = connection => {}
                    () = stopping.cancelled() => {}
                }
                drop(place);
            });
        }
    });
    Ok(Listening { address, stop, accepting })
}
