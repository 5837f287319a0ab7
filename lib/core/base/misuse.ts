import { recognise } from './brand.js'

/** The libraries with sources or stores. */
export type Library = 'drizzle' | 'knex' | 'kysely' | 'mongoose' | 'prisma' | 'sequelize' | 'typeorm'

/** The stable `code` of a MisuseError: the area, then the problem. `docs/codes.md` explains each. */
export type MisuseCode = 'option_unknown' | 'options_shape' | 'option_algorithms' | 'option_function' | 'option_jwks'
  | 'option_messages' | 'option_seconds' | 'option_text' | 'option_undeclared' | 'app_name' | 'auth_options'
  | 'auth_scheme' | 'secret_missing' | 'secret_weak' | 'role_pattern' | 'roles_shape' | 'load_invalid' | 'claim_id'
  | 'claim_permissions' | 'claim_reserved' | 'claim_role' | 'target_invalid' | 'app_invalid' | 'name_invalid'
  | 'name_taken' | 'route_invalid' | 'route_taken' | 'resource_sealed' | 'router_mount_path' | 'action_invalid'
  | 'action_unknown' | 'actions_lost' | 'handler_arity' | 'handler_missing' | 'method_invalid' | 'methods_invalid'
  | 'middleware_invalid' | 'auth_invalid' | 'auth_can_conflict' | 'can_invalid' | 'body_invalid' | 'body_limit'
  | 'input_invalid' | 'query_invalid' | 'output_invalid' | 'status_invalid' | 'statuses_invalid' | 'header_invalid'
  | 'examples_invalid' | 'tool_invalid' | 'files_unread' | 'manifest_ambiguous' | 'manifest_app' | 'rules_invalid'
  | 'rule_conflict' | 'rule_message' | 'rule_parameter' | 'rule_unknown' | 'validate_async' | 'validation_fields'
  | 'validate_partial' | 'business_status' | 'data_promise' | 'format_promise' | 'ids_max' | 'meta_invalid'
  | 'page_count' | 'page_limit' | 'page_source' | 'cursor_length' | 'cursor_value' | 'param_scale' | 'upload_invalid'
  | 'upload_storage' | 'storage_invalid' | 'storage_path' | 'csv_columns' | 'csv_missing' | 'mcp_app' | 'mcp_option'
  | 'mcp_tool_name' | 'openapi_options' | 'openapi_operation_id' | 'component_conflict' | 'swagger_ui_missing'
  | 'crud_option_unknown' | 'crud_aggregates' | 'crud_conflicts' | 'crud_custom' | 'crud_cursor_secret'
  | 'crud_deadline' | 'crud_dialect' | 'crud_export' | 'crud_filter' | 'crud_hidden' | 'crud_if_match' | 'crud_import'
  | 'crud_limit' | 'crud_members' | 'crud_names' | 'crud_parent' | 'crud_references' | 'crud_soft_delete'
  | 'crud_include' | 'crud_transform' | 'crud_tree' | 'crud_unknown_params' | 'crud_version' | 'idempotency_body'
  | 'idempotency_keys' | 'idempotency_seconds' | 'memory_option_unknown' | 'memory_rows' | 'memory_unique'
  | 'store_column' | 'store_column_type' | 'store_condition' | 'store_key' | 'store_raw' | 'store_sum'
  | 'drizzle_dialect' | 'drizzle_table' | 'knex_columns' | 'knex_dialect' | 'knex_table' | 'crud_unknown_fields'
  | 'kysely_columns' | 'kysely_dialect' | 'mongoose_columns' | 'mongoose_model' | 'mongoose_transactions'
  | 'prisma_client' | 'prisma_columns' | 'prisma_model' | 'sequelize_columns' | 'sequelize_model' | 'typeorm_columns'
  | 'typeorm_entity' | 'testing_option_unknown' | 'testing_store' | 'inject_app' | 'inject_as' | 'inject_request'
  | 'access_app' | 'access_callers' | `${Library}_cursor` | `${Library}_key` | `${Library}_option_unknown`
  | `${Library}_order` | `${Library}_query` | 'express_unsupported' | 'zod_unsupported' | 'serve_app' | 'serve_conflict'
  | 'serve_http2' | 'serve_option' | 'serve_option_unknown' | 'memory_columns' | 'memory_key' | 'crud_children'
  | 'copies_mixed' | 'idempotency_identity' | 'envelope_type' | 'check_app' | 'check_options' | 'data_error'

/**
 * A mistake of the programmer, found when mounting or constructing; `code` is stable, the message explains it.
 *
 * @example
 * try {
 *   mountResource(router, declaration)
 * } catch (error) {
 *   if (error instanceof MisuseError) console.error(error.code, error.message)
 * }
 */
export class MisuseError extends TypeError {
  readonly code: MisuseCode

  constructor(code: MisuseCode, message: string) {
    super(message)
    this.code = code
    this.name = 'MisuseError'
  }
}

recognise(MisuseError, 'MisuseError')
