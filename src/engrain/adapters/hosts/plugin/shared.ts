// Engrain's plugin, written by `engrain setup HOST` and taken out again by `engrain setup HOST --remove`. It tells Engrain
// of a session's moments and hands what Engrain remembers to the model. It never throws into the host: without an answer,
// nothing is added.
import { spawn } from "node:child_process"

const PROGRAM = ["engrain"]
const HOST = "opencode"
// How runners say that tests failed, which a pipe hides.
const TESTS_FAILED = /^(?:=+ (?:.* )?)?[1-9]\d* failed\b|^FAILED \S+::|^ *Test(?:s:?| Files| Suites:) +[1-9]\d* failed\b|^--- FAIL: |^test result: FAILED/m
const LIMIT = 10_000 // milliseconds; Engrain's own deadlines are far below

/** One hook of Engrain's: JSON in, `{context?, message?}` out, `{}` when anything fails. */
function ask(event, payload) {
  return new Promise((resolve) => {
    let output = ""
    const finish = () => {
      clearTimeout(timer)
      try {
        const answer = JSON.parse(output)
        resolve(answer && typeof answer === "object" ? answer : {})
      } catch {
        resolve({})
      }
    }
    const words = [...PROGRAM.slice(1), "hook", event, "--host", HOST]
    const child = spawn(PROGRAM[0], words, {
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT)
    child.on("error", finish)
    child.on("close", finish)
    child.stdout.on("data", (data) => (output += data))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

/** The sessions and what each is owed. */
function follow(cwd) {
  const started = new Set()
  const compacted = new Set()
  const children = new Map() // the parent of each
  const greeted = new Set()
  const touched = new Set()
  let learning = false
  const tell = async (event, about) => {
    const answer = await ask(event, about)
    learning ||= answer.learns === true // any that comes in time says so
    return answer
  }
  const payload = (id, more) => ({ session_id: id, cwd, ...more })
  return {
    /** Whether the operator agreed that sessions are learned from. */
    isLearning: () => learning,
    isChild: (id) => children.has(id),
    addChild: (id, parent) => children.set(id, parent),
    /** The context for the first prompt of a subagent, which its parent's model writes. */
    async child(id) {
      if (greeted.has(id)) return {}
      greeted.add(id)
      return await tell("subagent", payload(children.get(id), { agent_id: id }))
    },
    /** The context for a prompt, and a line for the person; `isContinued` tells whether an earlier run began the session. */
    async prompt(id, prompt, isContinued = () => false) {
      const answers = []
      if (!started.has(id) || compacted.has(id)) {
        const source = compacted.has(id) ? "compact" : (await isContinued()) ? "resume" : "startup"
        started.add(id)
        compacted.delete(id)
        answers.push(await tell("session-start", payload(id, { source })))
      }
      answers.push(await tell("prompt", payload(id, { prompt })))
      const join = (key, between) =>
        answers.map((answer) => answer[key]).filter((text) => typeof text === "string" && text).join(between)
      return { context: join("context", "\n\n"), message: join("message", "; ") }
    },
    /** The context for a call of a tool that failed, or that touches a file for the first time. */
    async tool(id, name, args, output, isError) {
      const failed = isError || TESTS_FAILED.test(output.slice(-4000))
      const path = args?.filePath ?? args?.path
      const key = `${id}\n${path}`
      const isNew = typeof path === "string" && !touched.has(key)
      if (isNew) touched.add(key)
      if (!isNew && !failed) return ""
      const more = { tool_name: name, tool_input: args, tool_response: output, failed }
      const { context } = await tell(failed ? "tool-failed" : "tool", payload(id, more))
      return typeof context === "string" ? context : ""
    },
    async compact(id) {
      await tell("pre-compact", payload(id, {}))
      compacted.add(id)
    },
    /** The end of a turn; `more` may name the transcript. */
    stop: (id, more = {}) => tell("stop", payload(id, more)),
    async end(id, more = {}) {
      if (started.delete(id)) await tell("session-end", payload(id, more))
    },
  }
}

