export type { Agent, AgentResult, AgentStream, EndOptions } from './agent/agent.ts';
export type {
  AgentOptions,
  CompactionOptions,
  HooksOption,
  ResumeInput,
  RunContext,
  RunInput,
  StepInput,
  SubmitInput,
} from './agent/agent-options.ts';
export { type AgentToolOptions, agentTool } from './agent/agent-tool.ts';
export { type BudgetNoteOptions, budgetNote } from './agent/budget-note.ts';
export type { Budget } from './agent/budgets-of.ts';
export {
  compareShadows,
  type ShadowOptions,
  type ShadowReport,
  type ShadowReportOptions,
  type ShadowRow,
  shadowComparisons,
} from './agent/compare-shadows.ts';
export { createAgent } from './agent/create-agent.ts';
export type { KnowledgeOption, KnowledgeOptions } from './agent/knowledge.ts';
export type { ObserverOptions } from './agent/observers.ts';
export { type BudgetState, readBudget } from './agent/read-budget.ts';
export { deleteThread, type ErasureOptions } from './agent/retention/delete-thread.ts';
export { exportThread } from './agent/retention/export-thread.ts';
export { type ImportedThread, importThread } from './agent/retention/import-thread.ts';
export { redactThread } from './agent/retention/redact-thread.ts';
export type { ShadowComparison, ShadowPlace } from './agent/shadow-moments.ts';
export { toolHints } from './agent/tool-hints.ts';
export type { UnfinishedOptions, UnfinishedTurn } from './agent/unfinished-turns.ts';
export {
  type DecisionCodec,
  errorDecisionCodec,
  messageDecisionCodec,
  queryDecisionCodec,
  requestDecisionCodec,
  responseDecisionCodec,
  resultsDecisionCodec,
  toolDecisionCodec,
  toolResultDecisionCodec,
  turnDecisionCodec,
  windowDecisionCodec,
} from './decisions/codec.ts';
export { ErrorDecision } from './decisions/error-decision.ts';
export { QueryDecision, ResultsDecision } from './decisions/knowledge-decision.ts';
export { MessageDecision } from './decisions/message-decision.ts';
export { RequestDecision } from './decisions/request-decision.ts';
export {
  ResponseDecision,
  type RewrittenCall,
  type RewrittenResponse,
} from './decisions/response-decision.ts';
export { type ConfirmationOptions, ToolDecision } from './decisions/tool-decision.ts';
export { type RewrittenResult, ToolResultDecision } from './decisions/tool-result-decision.ts';
export { TurnDecision } from './decisions/turn-decision.ts';
export { WindowDecision } from './decisions/window-decision.ts';
export { ApprovalError, type ApprovalRefusal } from './errors/approval-error.ts';
export { AgentHooksError, type ErrorInfo, type ErrorText } from './errors/base.ts';
export { BudgetError, type BudgetErrorCode } from './errors/budget-error.ts';
export { CompactionError, type CompactionProblem } from './errors/compaction-error.ts';
export { type ConfigCode, ConfigError } from './errors/config-error.ts';
export { HookError, type HookFailureKind, ResponseRetryCapError } from './errors/hook-error.ts';
export {
  type Finding,
  type FindingCode,
  HookValidationError,
} from './errors/hook-validation-error.ts';
export { IllegalTransitionError } from './errors/illegal-transition.ts';
export { RecordedError, TurnCancelledError, TurnInterruptedError } from './errors/interrupted.ts';
export { ModelError, type ModelErrorCode, type ModelErrorFacts } from './errors/model-error.ts';
export { OperationError } from './errors/operation-error.ts';
export { OutputError } from './errors/output-error.ts';
export { RecoveryCapError } from './errors/recovery-cap-error.ts';
export { RedactionError, ThreadImportError } from './errors/retention-error.ts';
export { StateError, type StateErrorCode } from './errors/state-error.ts';
export {
  CorruptRecordError,
  LedgerMismatchError,
  StoreAccessError,
  StoreError,
  StoreVersionError,
  ThreadBusyError,
  ThreadConflictError,
} from './errors/store-error.ts';
export {
  PendingApprovalError,
  PendingToolsError,
  ThreadError,
  UnknownThreadError,
} from './errors/thread-error.ts';
export {
  ArgumentsMissing,
  type OperationErrorCode,
  ToolCallError,
  ToolError,
  type ToolErrorCode,
  type ToolErrorOptions,
  ToolRefused,
} from './errors/tool-error.ts';
export { ToolResultError, type ToolResultRefusal } from './errors/tool-result-error.ts';
export type {
  AgentEvent,
  EventBody,
  EventOf,
  EventStamp,
  EventType,
  FallbackCause,
  ToolSource,
  TurnStatus,
} from './events/event.ts';
export { EVENT_TYPES, type EventPattern, type EventsOf } from './events/pattern.ts';
export type { AgentHooks, Answer, HookOptions, HookPoint } from './hooks/agent-hooks.ts';
export { compose } from './hooks/compose.ts';
export type { HookContext, PolicyMemory } from './hooks/context.ts';
export { failOpen } from './hooks/fail-open.ts';
export { type ForToolsOptions, forTools } from './hooks/for-tools.ts';
export type { HookQuestion } from './hooks/limit-call.ts';
export { parallel } from './hooks/parallel.ts';
export { HOOK_POINTS, POINTS, type PointRow } from './hooks/points.ts';
export { defineHooks, Policy } from './hooks/policy.ts';
export { type HeldPatterns, releasable } from './hooks/releasable.ts';
export { shadow } from './hooks/shadow.ts';
export { type ValidateOptions, validateHooks } from './hooks/validate.ts';
export { type HookCondition, when } from './hooks/when.ts';
export { withTimeout } from './hooks/with-timeout.ts';
export type { MaybePromise } from './internal/maybe-promise.ts';
export type { KnowledgeIndex, KnowledgeSearch } from './knowledge/port.ts';
export type { BudgetRun } from './loop/budget-port.ts';
export type { SpokenLine } from './loop/lines-port.ts';
export type { Note, NoteInfo, Spending } from './loop/note.ts';
export type { RunResult } from './loop/result.ts';
export type { Limits, ModelPrice, Prices, TurnLimits } from './loop/rules.ts';
export type { RunStream } from './loop/stream.ts';
export { type FallbackOptions, fallbackModel } from './models/fallback.ts';
export { type LimitedModelOptions, limitedModel } from './models/limited.ts';
export type {
  ChatModel,
  ModelCallOptions,
  ModelCapabilities,
  ModelPart,
  ModelRequest,
  ModelResponse,
  ModelRetry,
} from './models/port.ts';
export { readOpenAiChat } from './models/read-openai-chat.ts';
export { type Divergence, type ReplayModel, replayModel } from './models/replay.ts';
export { type RouterOptions, routerModel } from './models/router.ts';
export {
  type ScriptEntry,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedResponse,
  type ScriptedToolCall,
  scriptedModel,
} from './models/scripted.ts';
export { PromptSuffix, type PromptSuffixOptions } from './policies/prompt-suffix.ts';
export type {
  Approval,
  ApprovalRequirement,
  ApprovalStatus,
  ApprovalVote,
} from './protocol/approval.ts';
export type { Artifact } from './protocol/artifact.ts';
export type {
  ChatRequest,
  ChatResponse,
  ChatStreamPart,
  FinishReason,
  ModelSettings,
  ModelToolCall,
  ModelUsage,
  ToolCall,
  ToolDescription,
  Usage,
} from './protocol/chat.ts';
export type { Counters, IncrementOptions } from './protocol/counters.ts';
export type { JsonObject, JsonValue } from './protocol/json.ts';
export type {
  AssistantMessage,
  AssistantPart,
  FilePart,
  Message,
  SystemMessage,
  ToolMessage,
  ToolOutcome,
  ToolResultPart,
  UserMessage,
  UserPart,
} from './protocol/message.ts';
export type {
  CancelledOperation,
  CancelReason,
  OperationUpdate,
  PreparedOperation,
} from './protocol/operation.ts';
export { textOf, toolCallsOf, toolResultsOf } from './protocol/read-content.ts';
export type { StateInput, StateOf, StateValues } from './protocol/state-values.ts';
export type {
  IncomingText,
  KnowledgePassage,
  KnowledgeQuery,
  KnowledgeResults,
  OutgoingText,
  PromptInfo,
  Purpose,
  TextWindow,
  TurnStart,
} from './protocol/texts.ts';
export type {
  ApprovalAnswer,
  HostCall,
  SideEffects,
  SubmittedToolResult,
  ToolInvocation,
  ToolResult,
  ToolTier,
} from './protocol/tool.ts';
export { type MemoryStoreOptions, type MemoryThreadStore, memoryStore } from './stores/memory.ts';
export type {
  Claim,
  LedgerEntry,
  StoredThread,
  ThreadChanges,
  ThreadRewrite,
  ThreadStore,
} from './stores/port.ts';
export { type HostToolOptions, hostTool } from './tools/host-tool.ts';
export type { InputProblem } from './tools/input-port.ts';
export {
  type ListenToolOptions,
  listenTool,
  type OperationToExecute,
} from './tools/listen-tool.ts';
export type { LockedValue } from './tools/locked.ts';
export type {
  Interruption,
  ListenContext,
  PrecheckContext,
  ToolContext,
  ToolPort,
  ToolState,
} from './tools/port.ts';
export type { Assign, Reply, ToolReply } from './tools/result-port.ts';
export type { SchemaInput, SchemaOutput, ToolSchema } from './tools/schema.ts';
export {
  type PrecheckOutcome,
  type Tool,
  type ToolOptions,
  type ToolReturn,
  tool,
} from './tools/tool.ts';
export { type OutputFile, ToolOutput } from './tools/tool-output.ts';
export { type TranscriptLock, type TranscriptOptions, transcript } from './tools/transcript.ts';
