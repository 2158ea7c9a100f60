CREATE TABLE "task" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"request_key" uuid NOT NULL,
	"fingerprint" text NOT NULL,
	"processor" text NOT NULL,
	"processor_version" integer NOT NULL,
	"deterministic" boolean NOT NULL,
	"params" jsonb NOT NULL,
	"input_file_id" uuid NOT NULL,
	"input_name" text NOT NULL,
	"input_type" text NOT NULL,
	"input_size" bigint NOT NULL,
	"input_sha256" text NOT NULL,
	"status" text NOT NULL,
	"stage" text,
	"progress_done" bigint,
	"progress_total" bigint,
	"progress_unit" text,
	"error_code" text,
	"cancel_requested_at" timestamp (3) with time zone,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"max_attempts" integer NOT NULL,
	"lease_version" integer DEFAULT 0 NOT NULL,
	"lease_expires_at" timestamp (3) with time zone,
	"suspect" boolean DEFAULT false NOT NULL,
	"retry_at" timestamp (3) with time zone,
	"delivery_token" uuid,
	"delivery_count" integer DEFAULT 0 NOT NULL,
	"next_delivery_at" timestamp (3) with time zone,
	"waiting_since" timestamp (3) with time zone,
	"send_failed_at" timestamp (3) with time zone,
	"send_failed_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"queued_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "task_request" UNIQUE("user_id","request_key"),
	CONSTRAINT "task_status" CHECK (status in ('pending', 'queued', 'running', 'retry_wait', 'reconciling', 'succeeded', 'failed', 'canceled')),
	CONSTRAINT "task_attempts" CHECK (attempt_count between 0 and max_attempts and lease_version >= attempt_count),
	CONSTRAINT "task_started" CHECK ((attempt_count > 0) = (started_at is not null)),
	CONSTRAINT "task_running_has_lease" CHECK ((status = 'running') = (lease_expires_at is not null)),
	CONSTRAINT "task_ended_has_time" CHECK ((status in ('succeeded', 'failed', 'canceled')) = (finished_at is not null)),
	CONSTRAINT "task_waiting_is_due" CHECK ((status in ('pending', 'queued', 'retry_wait')) = (next_delivery_at is not null)),
	CONSTRAINT "task_waiting_since" CHECK ((next_delivery_at is null) = (waiting_since is null)),
	CONSTRAINT "task_token_only_waiting" CHECK (delivery_token is null or next_delivery_at is not null),
	CONSTRAINT "task_queued_has_time" CHECK (status <> 'queued' or queued_at is not null),
	CONSTRAINT "task_retry_has_time" CHECK ((status = 'retry_wait') = (retry_at is not null)),
	CONSTRAINT "task_error" CHECK ((status in ('retry_wait', 'reconciling', 'failed')) = (error_code is not null)),
	CONSTRAINT "task_cancel_request" CHECK (cancel_requested_at is null or status in ('running', 'reconciling', 'failed', 'canceled')),
	CONSTRAINT "task_stage" CHECK (stage is null or status in ('running', 'reconciling')),
	CONSTRAINT "task_progress" CHECK ((progress_done is null) = (progress_total is null) and (progress_done is null) = (progress_unit is null) and (progress_done is null or (progress_done between 0 and progress_total and status in ('running', 'reconciling')))),
	CONSTRAINT "task_digests" CHECK (fingerprint ~ '^[0-9a-f]{64}$' and input_sha256 ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "task_attempt" (
	"task_id" uuid NOT NULL,
	"lease_version" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"outcome" text,
	"error_code" text,
	CONSTRAINT "task_attempt_task_id_lease_version_pk" PRIMARY KEY("task_id","lease_version"),
	CONSTRAINT "task_attempt_outcome" CHECK (outcome in ('succeeded', 'failed', 'canceled', 'lease_lost')),
	CONSTRAINT "task_attempt_ended" CHECK ((outcome is null) = (finished_at is null)),
	CONSTRAINT "task_attempt_error" CHECK ((coalesce(outcome, '') = 'failed') = (error_code is not null))
);
--> statement-breakpoint
CREATE TABLE "task_input_pin" (
	"task_id" uuid PRIMARY KEY NOT NULL,
	"file_id" uuid NOT NULL
);
--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_attempt" ADD CONSTRAINT "task_attempt_task_id_task_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."task"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_input_pin" ADD CONSTRAINT "task_input_pin_task_id_task_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."task"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_input_pin" ADD CONSTRAINT "task_input_pin_file_id_file_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."file"("id") ON DELETE no action ON UPDATE no action DEFERRABLE INITIALLY DEFERRED;--> statement-breakpoint
CREATE INDEX "task_list" ON "task" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "task_status_list" ON "task" USING btree ("user_id","status","created_at","id") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "task_active" ON "task" USING btree ("user_id") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "task_due_delivery" ON "task" USING btree ("next_delivery_at") WHERE next_delivery_at is not null;--> statement-breakpoint
CREATE INDEX "task_lease_end" ON "task" USING btree ("lease_expires_at") WHERE lease_expires_at is not null;--> statement-breakpoint
CREATE INDEX "task_reconciling" ON "task" USING btree ("updated_at") WHERE status = 'reconciling';--> statement-breakpoint
CREATE INDEX "task_input_pin_file" ON "task_input_pin" USING btree ("file_id");