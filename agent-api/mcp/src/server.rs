//! The protocol's side: requests in, results out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CreateTaskResult,
    DetailedTask, ErrorData, GetTaskParams, GetTaskResult, Implementation, JsonObject,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, TaskPayload, TaskStatus, Tool, UpdateTaskParams,
};
use rmcp::service::{RequestContext, ServiceExt as _};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::calls::{self, Outcome};
use crate::desk::Desk;
use crate::reply::{Fail, reply};
use crate::rooms::Rooms;
use crate::tasks::{Status, Task};
use crate::{resources, tools};

/// What a client that knows nothing is told first.
const INSTRUCTIONS: &str = "Cellwright optimises placed netlists. Open a run with cw.open, look with cw.db, cw.measure, cw.sta and cw.picture, try changes with cw.evaluate, and propose the good ones with cw.commit: the judge accepts a change only when every gate holds, and signs a certificate for it. cw.place, cw.legalize and cw.optimize find changes for you. Coordinates are DBU (see dbu_per_um), times ns, lengths um. Every result is one envelope: `status` says whether the call ran, `engineering.status` what the evidence says about the design, `result.value` the answer, `error.message` what to do instead. Handles: run-1, s0 (snapshot), d-1 (change), task-1. Long work answers with a task handle; ask cw.task.";

/// How long a task that the client polls itself may take before its handle goes out.
const TASK_GRACE: Duration = Duration::from_millis(300);

/// How often progress is told to who asked for it.
const PROGRESS: Duration = Duration::from_millis(150);

/// Serves one desk; clones share it.
#[derive(Clone)]
pub struct Server {
    rooms: Arc<Rooms>,
    tools: Arc<Vec<Tool>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}

/// The protocol's words for a task.
fn words(task: &Task) -> rmcp::model::Task {
    let status = match task.status() {
        Status::Working => TaskStatus::Working,
        Status::Completed => TaskStatus::Completed,
        Status::Failed => TaskStatus::Failed,
        Status::Cancelled => TaskStatus::Cancelled,
    };
    let (part, word) = task.ticket.stands();
    rmcp::model::Task::new(task.id.clone(), status, task.created_at.clone(), task.updated_at())
        .with_status_message(format!("{:.0} %: {word}", part * 100.0))
        .with_poll_interval_ms(1000)
}

impl Server {
    /// A server of a desk.
    #[must_use]
    pub fn new(desk: Arc<dyn Desk>) -> Server {
        Server { rooms: Arc::new(Rooms::new(desk)), tools: Arc::new(tools::tools()) }
    }

    /// Stops all work and closes all runs, so that each leaves a whole run directory. Blocks.
    pub fn close(&self) {
        self.rooms.close();
    }

    async fn call(
        &self,
        tool: &Tool,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let began = Instant::now();
        let shown = Value::Object(arguments.clone());
        let finish = |outcome| reply(&tool.name, &shown, began, outcome, &*self.rooms);
        let (task, wait) = match calls::call(&self.rooms, tool, arguments).await {
            Ok(Outcome::Now(answer)) => return finish(Ok(*answer)).into(),
            Err(fail) => return finish(Err(fail)).into(),
            Ok(Outcome::Later(task, wait)) => (task, wait),
        };
        let polls = context.client_capabilities().is_some_and(|caps| caps.supports_tasks());
        let token = context.meta.get_progress_token();
        let wait = if polls { wait.min(TASK_GRACE) } else { wait };
        let mut told = -1.0;
        {
            let mut ended = std::pin::pin!(task.wait(wait));
            loop {
                tokio::select! {
                    () = &mut ended => break,
                    () = context.ct.cancelled() => {
                        // Who began it no longer wants it.
                        task.ticket.cancel();
                        task.wait(Duration::from_secs(5)).await;
                        break;
                    }
                    () = tokio::time::sleep(PROGRESS), if token.is_some() => {}
                }
                let (part, word) = task.ticket.stands();
                // Progress must grow from one note to the next.
                if let (Some(token), true) = (&token, part > told) {
                    told = part;
                    let note = ProgressNotificationParam::new(token.clone(), part)
                        .with_total(1.0)
                        .with_message(word);
                    let _ = context.peer.notify_progress(note).await;
                }
            }
        }
        match task.outcome() {
            Some(outcome) => finish(outcome).into(),
            None if polls => CreateTaskResult::new(words(&task)).into(),
            None => finish(Ok(calls::told(&task))).into(),
        }
    }

    fn task(&self, id: &str) -> Result<Arc<Task>, ErrorData> {
        self.rooms
            .tasks
            .get(id)
            .ok_or_else(|| ErrorData::invalid_params(format!("there is no task {id}"), None))
    }

    fn result_of(&self, task: &Task) -> Option<CallToolResult> {
        let outcome = task.outcome()?;
        Some(reply(&task.tool, &task.arguments, task.began, outcome, &*self.rooms))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_tasks().build();
        let mut name = Implementation::new("cellwright", env!("CARGO_PKG_VERSION"));
        name.title = Some("Cellwright".to_owned());
        name.description = Some(
            "An optimisation loop for placed netlists: gated, ranked and signed changes".to_owned(),
        );
        ServerConfig::new(capabilities).with_server_info(name).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = tools::named(&self.tools, name)?;
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.get_tool(&request.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| &*tool.name).collect();
            let known = names.join(", ");
            let name = crate::reply::shorten(&request.name, 100);
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{name}`; there are {known}"),
                None,
            ));
        };
        Ok(self.call(&tool, request.arguments.unwrap_or_default(), &context).await)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list(&self.rooms)))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.rooms, &request.uri).await.map(Into::into).map_err(|fail: Fail| {
            ErrorData::resource_not_found(fail.message, Some(json!({ "uri": request.uri })))
        })
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.task(&request.task_id)?;
        let payload = match (task.status(), self.result_of(&task)) {
            (Status::Cancelled, _) => TaskPayload::Cancelled,
            // A tool's failure is a result of its call like any other: the envelope says why.
            (_, Some(result)) => match serde_json::to_value(result) {
                Ok(Value::Object(result)) => TaskPayload::Completed { result },
                _ => return Err(ErrorData::internal_error("the result has no JSON form", None)),
            },
            (_, None) => TaskPayload::Working,
        };
        Ok(GetTaskResult::new(DetailedTask::new(words(&task), payload)))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // No task of this server asks anything back; what is answered all the same is ignored.
        self.task(&request.task_id).map(|_| ())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.task(&request.task_id)?.ticket.cancel();
        Ok(())
    }
}

/// Serves over standard input and output until the client closes them.
///
/// # Errors
/// When the first exchange fails.
pub async fn serve_stdio(server: Server) -> Result<(), String> {
    let running =
        server.serve(rmcp::transport::io::stdio()).await.map_err(|error| error.to_string())?;
    running.waiting().await.map(|_| ()).map_err(|error| error.to_string())
}
