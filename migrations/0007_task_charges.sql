CREATE TABLE "credit_balance" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"balance" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "credit_balance_not_negative" CHECK (balance >= 0)
);
--> statement-breakpoint
CREATE TABLE "credit_ledger" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"task_id" uuid,
	"kind" text NOT NULL,
	"amount" bigint NOT NULL,
	"idempotency_key" text NOT NULL,
	"reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_ledger_idempotency_key_unique" UNIQUE("idempotency_key"),
	CONSTRAINT "credit_ledger_kind" CHECK (case kind when 'grant' then amount > 0 and task_id is null when 'hold' then amount < 0 and task_id is not null when 'settle' then amount = 0 and task_id is not null when 'refund' then amount > 0 and task_id is not null else false end)
);
--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "price" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "charge_state" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE "credit_balance" ADD CONSTRAINT "credit_balance_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_ledger" ADD CONSTRAINT "credit_ledger_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_ledger" ADD CONSTRAINT "credit_ledger_task_id_task_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."task"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credit_ledger_list" ON "credit_ledger" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "credit_ledger_task" ON "credit_ledger" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "task_held_charge" ON "task" USING btree ("finished_at") WHERE status = 'failed' and charge_state = 'held';--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_charge" CHECK (price >= 0 and charge_state in ('none', 'held', 'settled', 'refunded') and (price = 0) = (charge_state = 'none') and (charge_state <> 'settled' or status = 'succeeded') and (charge_state <> 'refunded' or status in ('failed', 'canceled')) and (charge_state <> 'held' or status not in ('succeeded', 'canceled')));