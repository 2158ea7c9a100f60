import type { AppContext } from '../context.server'
import { describeError } from '../log.server'

/** A letter to one person, as plain text. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/** Hands a letter over for delivery. Throws when it was not taken; whether it arrives nobody learns here. */
export interface Mailer {
  send: (mail: Mail) => Promise<void>
}

/** What `mailerFor` needs of the environment. */
interface MailEnvironment {
  APP_ORIGIN: string
  EMAIL?: SendEmail
  MAIL_FROM?: string
}

/**
 * How this site sends mail: by Cloudflare's Email Service where it is bound; on a site that only this machine can reach, by
 * printing it in the terminal; else not at all (null). What is printed holds links that let somebody in, so a site that
 * strangers reach never prints: its logs are kept and read by others.
 */
export function mailerFor(
  env: MailEnvironment,
  { siteName, print }: { siteName: string; print: (text: string) => void },
): Mailer | null {
  const { EMAIL, MAIL_FROM } = env
  if (EMAIL && MAIL_FROM) {
    return {
      send: async (mail) => void (await EMAIL.send({ from: { email: MAIL_FROM, name: siteName }, ...mail })),
    }
  }
  return isLoopback(env.APP_ORIGIN) ? terminalMailer(print) : null
}

/** Whether only the machine itself gets to that address. */
export function isLoopback(origin: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(origin).hostname)
}

function terminalMailer(print: (text: string) => void): Mailer {
  return {
    send: ({ to, subject, text }) => {
      const lines = [`Mail to ${to}: ${subject}`, ...text.split('\n')].map((line) => `  | ${line}`)
      print(lines.join('\n'))
      return Promise.resolve()
    },
  }
}

/** Sends a letter, after its request was answered: it never throws, and the log says whether the letter was taken. */
export async function sendMail({ mailer, log }: AppContext, mail: Mail): Promise<void> {
  try {
    if (!mailer) throw new Error('this site sends no mail')
    await mailer.send(mail)
    log('mail.sent')
  } catch (error) {
    log('mail.failed', describeError(error))
  }
}
