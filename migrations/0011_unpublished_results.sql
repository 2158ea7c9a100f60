DROP INDEX "file_unpublished";--> statement-breakpoint
CREATE INDEX "file_unpublished" ON "file" USING btree ("task_id") WHERE state <> 'ready' and task_id is not null;