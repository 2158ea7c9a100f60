CREATE TABLE "rate_limit" (
	"scope" text NOT NULL,
	"subject" text NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "rate_limit_scope_subject_pk" PRIMARY KEY("scope","subject"),
	CONSTRAINT "rate_limit_count" CHECK (count > 0)
);
--> statement-breakpoint
CREATE INDEX "rate_limit_window" ON "rate_limit" USING btree ("window_start");