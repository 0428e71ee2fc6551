<?php
// Receives signed postbacks. PHP 8 or later: WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:9000 receiver.php

const TOLERANCE_S = 5 * 60;
const MAX_BODY_BYTES = 1024 * 1024;

/** Whether one of the signatures is that of the body, and the request is recent. */
function isGenuine(string $id, string $timestamp, string $signatures, string $body): bool
{
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_S) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', getenv('WEBHOOK_SECRET') ?: ''));
    if ($key === '') {
        // With an empty key, anyone could sign.
        throw new Exception('Set WEBHOOK_SECRET to the signing secret of the webhook.');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $each) {
        if (hash_equals($expected, $each)) {
            return true;
        }
    }
    return false;
}

/**
 * Put your code here. If it throws, the message is sent again. So store the id last. Replace the file with a unique
 * column in your database, written in the transaction that stores the message.
 */
function handle(string $id, string $body): void
{
    $folder = getenv('HANDLED') ?: sys_get_temp_dir() . '/handled-webhooks';
    $file = $folder . '/' . hash('sha256', $id);
    if (is_file($file)) {
        return;
    }
    $message = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    file_put_contents('php://stdout', "received $id {$message['subtopic']}\n");
    @mkdir($folder, 0700, true);
    if (!touch($file)) {
        throw new Exception("Cannot create $file.");
    }
}

// With display_errors, PHP would respond to an error with 200.
http_response_code(500);

$body = file_get_contents('php://input', false, null, 0, MAX_BODY_BYTES + 1);
if (strlen($body) > MAX_BODY_BYTES) {
    http_response_code(413);
    return;
}
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
if (!isGenuine($id, $timestamp, $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', $body)) {
    http_response_code(401);
    return;
}
if (($_SERVER['HTTP_WEBHOOK_TEST'] ?? '') === 'true') {
    // Its data is made up.
    file_put_contents('php://stdout', "test $id\n");
} else {
    handle($id, $body);
}
http_response_code(204);
