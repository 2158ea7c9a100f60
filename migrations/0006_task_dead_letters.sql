CREATE TABLE "task_dead_letter" (
	"id" uuid PRIMARY KEY NOT NULL,
	"queue_name" text NOT NULL,
	"message_id" text NOT NULL,
	"task_id" uuid,
	"dispatch_version" integer,
	"class" text NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "task_dead_letter_message" UNIQUE("queue_name","message_id"),
	CONSTRAINT "task_dead_letter_class" CHECK (class in ('applied', 'deferred', 'stale', 'missing', 'invalid')),
	CONSTRAINT "task_dead_letter_reference" CHECK ((class in ('missing', 'invalid')) = (task_id is null) and (task_id is null) = (dispatch_version is null))
);
--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "automatic_retry" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "dispatch_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "dispatch_floor" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "task_dead_letter" ADD CONSTRAINT "task_dead_letter_task_id_task_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."task"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "task_dead_letter_task" ON "task_dead_letter" USING btree ("task_id","received_at");--> statement-breakpoint
CREATE INDEX "task_dead_letter_received" ON "task_dead_letter" USING btree ("received_at");--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_dispatch" CHECK (dispatch_floor between 0 and dispatch_version);