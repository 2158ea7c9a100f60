ALTER TABLE "file" DROP CONSTRAINT "file_size";--> statement-breakpoint
ALTER TABLE "file" ADD COLUMN "origin" text DEFAULT 'upload' NOT NULL;--> statement-breakpoint
ALTER TABLE "file" ADD COLUMN "task_id" uuid;--> statement-breakpoint
ALTER TABLE "file" ADD COLUMN "lease_version" integer;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "result_file_id" uuid;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "result_name" text;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "result_type" text;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "result_size" bigint;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "result_sha256" text;--> statement-breakpoint
CREATE INDEX "file_unpublished" ON "file" USING btree ("task_id") WHERE state = 'uploading' and task_id is not null;--> statement-breakpoint
ALTER TABLE "file" ADD CONSTRAINT "file_origin" CHECK (origin in ('upload', 'result'));--> statement-breakpoint
ALTER TABLE "file" ADD CONSTRAINT "file_result_attempt" CHECK ((origin = 'result') = (task_id is not null) and (task_id is null) = (lease_version is null));--> statement-breakpoint
ALTER TABLE "file" ADD CONSTRAINT "file_size" CHECK (byte_size > 0 or (byte_size = 0 and origin = 'result'));--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_succeeded_has_result" CHECK ((status = 'succeeded') = (result_file_id is not null));--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_result_complete" CHECK ((result_file_id is null) = (result_name is null) and (result_file_id is null) = (result_type is null) and (result_file_id is null) = (result_size is null) and (result_file_id is null) = (result_sha256 is null));--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_result" CHECK (result_file_id is null or (result_size >= 0 and result_sha256 ~ '^[0-9a-f]{64}$'));