CREATE TABLE "file" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"request_key" uuid,
	"request_index" smallint,
	"name" text NOT NULL,
	"content_type" text NOT NULL,
	"byte_size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"object_key" text NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"try_count" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "file_object_key_unique" UNIQUE("object_key"),
	CONSTRAINT "file_state" CHECK (state in ('uploading', 'ready', 'deleting')),
	CONSTRAINT "file_size" CHECK (byte_size > 0),
	CONSTRAINT "file_sha256" CHECK (sha256 ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "file_ready_expires" CHECK (state <> 'ready' or expires_at is not null),
	CONSTRAINT "file_request_index" CHECK ((request_key is null) = (request_index is null))
);
--> statement-breakpoint
CREATE TABLE "object_trash" (
	"object_key" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"next_try_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"try_count" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "orphan_scan" (
	"prefix" text PRIMARY KEY NOT NULL,
	"cursor" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file" ADD CONSTRAINT "file_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_list" ON "file" USING btree ("user_id","created_at","id") WHERE state = 'ready';--> statement-breakpoint
CREATE INDEX "file_next_try" ON "file" USING btree ("next_try_at");--> statement-breakpoint
CREATE UNIQUE INDEX "file_request" ON "file" USING btree ("user_id","request_key","request_index") WHERE request_key is not null;--> statement-breakpoint
CREATE INDEX "object_trash_next_try" ON "object_trash" USING btree ("next_try_at");