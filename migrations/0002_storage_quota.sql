CREATE TABLE "storage_usage" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"file_count" integer DEFAULT 0 NOT NULL,
	"byte_count" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "storage_usage_not_negative" CHECK (file_count >= 0 and byte_count >= 0)
);
--> statement-breakpoint
ALTER TABLE "file" ADD COLUMN "counted" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "storage_usage" ADD CONSTRAINT "storage_usage_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file" ADD CONSTRAINT "file_ready_counted" CHECK (counted or state = 'deleting');--> statement-breakpoint
INSERT INTO "storage_usage" ("user_id", "file_count", "byte_count") SELECT "user_id", count(*), sum("byte_size") FROM "file" GROUP BY "user_id";
